package tidy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

var (
	metricRow   = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (gauge|counter|histogram) \\| ([a-z_, ]*) \\|")
	metricInUse = regexp.MustCompile(`\b(?:auditstream|kafka_consumer_group)_[a-z_]+`)
)

// monitors are the files that ask for metrics.
var monitors = []string{
	"compose/rules/auditor.yml", "compose/rules/findings.yml", "compose/grafana/dashboards/auditstream.json",
}

// unasked are metrics that neither a rule nor the dashboard asks for, and why.
var unasked = map[string]string{}

// exported are the metrics of docs/metrics.md, which is printed from the
// program and held against it, with the names that histograms have in queries.
func exported(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, row := range metricRow.FindAllStringSubmatch(read(t, "docs/metrics.md"), -1) {
		if !metricInUse.MatchString(row[1]) {
			continue // names of other exporters
		}
		names[row[1]] = row[1]
		if row[2] == "histogram" {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				names[row[1]+suffix] = row[1]
			}
		}
	}
	if len(names) < 10 {
		t.Fatalf("docs/metrics.md has only %d metrics", len(names))
	}
	return names
}

// asked are the metrics that a text asks for; words of other kinds that look
// like metrics are left out.
func asked(text string) []string {
	return slices.DeleteFunc(metricInUse.FindAllString(text, -1), func(name string) bool { return name == "auditstream_alert" })
}

func TestRulesAndDashboardAskForMetricsThatExist(t *testing.T) {
	names, used := exported(t), map[string]bool{}
	for _, file := range monitors {
		for _, name := range asked(read(t, file)) {
			if names[name] == "" {
				t.Errorf("%s asks for %s, which the program does not export", file, name)
			}
			used[names[name]] = true
		}
	}
	for _, metric := range names {
		switch _, known := unasked[metric]; {
		case !used[metric] && !known:
			t.Errorf("no rule and no panel asks for %s; show it, or say in unasked why not", metric)
		case used[metric] && known:
			t.Errorf("%s is asked for: strike it from unasked", metric)
		}
	}
}

func TestMetricRuleRefuses(t *testing.T) {
	if got := asked(`sum(rate(auditstream_tick_total[5m])) > kafka_consumer_group_lag`); len(got) != 2 || exported(t)[got[0]] != "" || exported(t)[got[1]] == "" {
		t.Errorf("%v", got)
	}
}

// Prometheus's and Alertmanager's own checkers accept what is shipped.
func TestMonitoringConfigurationIsAccepted(t *testing.T) {
	for _, command := range [][]string{
		{"promtool", "check", "rules", "rules/auditor.yml", "rules/findings.yml"},
		{"promtool", "test", "rules", "rules/rules_test.yml"},
		{"promtool", "check", "config", "--syntax-only", "prometheus.yml"},
		{"amtool", "check-config", "alertmanager.yml"},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			kafkatest.SkipOrFail(t, "NOT RUN: install prometheus and prometheus-alertmanager for %s", command[0])
		}
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = filepath.Join(root, "compose")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
	}
}

var grafanaVariables = strings.NewReplacer("$__rate_interval", "5m", "$topic", ".*")

// What the dashboard asks is PromQL: promtool reads it as rules.
func TestDashboardAsksInPromQL(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		kafkatest.SkipOrFail(t, "NOT RUN: install prometheus for promtool")
	}
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, expr := range regexp.MustCompile(`"expr": ("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(read(t, monitors[2]), -1) {
		var text string
		if err := json.Unmarshal([]byte(expr[1]), &text); err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule{"panel:" + strings.Repeat("x", len(rules)+1), grafanaVariables.Replace(text)})
	}
	if len(rules) < 20 {
		t.Fatalf("only %d expressions found", len(rules))
	}
	content, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "panels", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "panels.yml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", "--lint=none", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every rule says what to do next and has a test.
func TestRulesTellTheNextStepAndAreTested(t *testing.T) {
	tests := read(t, "compose/rules/rules_test.yml")
	for _, file := range monitors[:2] {
		var rules struct {
			Groups []struct {
				Rules []struct {
					Alert       string
					Labels      map[string]string
					Annotations map[string]string
				}
			}
		}
		unmarshal(t, file, &rules)
		for _, group := range rules.Groups {
			for _, rule := range group.Rules {
				if rule.Annotations["summary"] == "" || rule.Annotations["action"] == "" || rule.Labels["severity"] == "" {
					t.Errorf("%s: %s needs summary, action and severity", file, rule.Alert)
				}
				if !strings.Contains(tests, rule.Alert) {
					t.Errorf("%s: %s has no test", file, rule.Alert)
				}
			}
		}
	}
}

func TestDashboardIsProvisioned(t *testing.T) {
	var dashboard struct {
		UID    string
		Panels []struct {
			Title      string
			Datasource struct{ UID string }
			Targets    []struct {
				Expr       string
				Datasource struct{ UID string }
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, "compose/grafana/dashboards/auditstream.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var sources struct{ Datasources []struct{ UID string } }
	unmarshal(t, "compose/grafana/provisioning/datasources/prometheus.yml", &sources)
	rows := 0
	for _, panel := range dashboard.Panels {
		if strings.HasSuffix(panel.Title, "?") {
			rows++
		}
		for _, target := range panel.Targets {
			if target.Datasource.UID != sources.Datasources[0].UID {
				t.Errorf("panel %q reads from %q, which is not provisioned", panel.Title, target.Datasource.UID)
			}
		}
	}
	if rows < 5 {
		t.Errorf("the dashboard answers %d questions", rows)
	}
	if link := read(t, "compose/ticks.properties"); !strings.Contains(link, "/d/"+dashboard.UID) {
		t.Errorf("alert.link in ticks.properties does not lead to the dashboard %q", dashboard.UID)
	}
}
