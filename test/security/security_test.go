package security

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/programtest"
	"github.com/auditstream/auditstream/topology"
)

func TestMain(m *testing.M) { programtest.Main(m) }

// TestSecurity shares one broker among all that is tried.
func TestSecurity(t *testing.T) {
	kafkatest.Libs(t)
	k := startKafka(t)
	t.Run("modes", func(t *testing.T) { modes(t, k) })
	t.Run("missing rights", func(t *testing.T) { missingRights(t, k) })
	t.Run("some rights", func(t *testing.T) { someRights(t, k) })
	t.Run("commands", func(t *testing.T) { commands(t, k) })
	t.Run("secrets", func(t *testing.T) { secrets(t, k) })
}

// login is one way to log in.
type login struct {
	name, listener string
	principal      string
	settings       []string // behind consumer.override.
}

func (k *kafka) logins(t *testing.T) []login {
	t.Helper()
	const user = "User:"
	ca := "ssl.ca.location=" + k.authority.File
	_, certificate := k.authority.Issue(t, "auditor")
	password := func(protocol, mechanism, name string) []string {
		return []string{"security.protocol=" + protocol, "sasl.mechanism=" + mechanism, "sasl.username=" + name, "sasl.password=" + k.secret(t, name)}
	}
	return []login{
		{"plain", "PLAIN", user + "plain", password("SASL_PLAINTEXT", "PLAIN", "plain")},
		{"scram-256", "SCRAM", user + "scram", append(password("SASL_SSL", "SCRAM-SHA-256", "scram"), ca)},
		{"scram-512", "SCRAM", user + "scram", append(password("SASL_SSL", "SCRAM-SHA-512", "scram"), ca)},
		{"bearer", "BEARER", user + "bearer", k.bearer(t, "bearer")},
		{"tls", "TLS", user + "ANONYMOUS", []string{"security.protocol=SSL", ca}},
		{"mutual", "MUTUAL", user + "CN=auditor,O=Audit\\, Inc.", []string{"security.protocol=SSL", ca, "ssl.keystore.location=" + certificate}},
	}
}

// bearer are the settings of a client of the issuer.
func (k *kafka) bearer(t *testing.T, id string) []string {
	t.Helper()
	return []string{
		"security.protocol=SASL_SSL", "ssl.ca.location=" + k.authority.File, "sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.scope=audit",
		"sasl.oauthbearer.token.endpoint.url=" + k.issuer.tokenURL, "sasl.oauthbearer.client.credentials.client.id=" + id,
		"sasl.oauthbearer.client.credentials.client.secret=" + k.secret(t, "bearer"),
	}
}

// configure writes the configuration of an audit of that name.
func (l login) configure(t *testing.T, k *kafka, name string, settings ...string) string {
	t.Helper()
	lines := []string{
		"name=" + name, "topics=" + name + "-ticks", "bootstrap.servers=" + k.listeners[l.listener],
		"errors.deadletterqueue.topic.name=" + name + "-dead", "instance.id=" + name, "checkpoint.interval.ms=100",
	}
	for _, setting := range l.settings {
		lines = append(lines, "consumer.override."+setting)
	}
	return programtest.Configure(t, append(lines, settings...)...) // of repeated keys the last one counts
}

// layout is the topology of that audit.
func layout(name string) topology.Topology {
	return topology.New(topology.Options{Name: name, Topics: []string{name + "-ticks"}, DeadLetterTopic: name + "-dead"})
}

const patience = 90 * time.Second

// checks runs check and returns what it found, by name.
func checks(t *testing.T, file string) map[string]check.Check {
	t.Helper()
	out, _ := programtest.Command(t, patience, "check", "-c", file, "--json", "--fail-on", "never").Output()
	var answer struct{ Checks []check.Check }
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("check: %v\n%s", err, out)
	}
	found := map[string]check.Check{}
	for _, c := range answer.Checks {
		found[c.Name] = c
	}
	return found
}

// run audits what is there and returns the exit code and what was said.
func run(t *testing.T, file string) (code int, said string) {
	t.Helper()
	cmd := programtest.Command(t, patience, "run", "-c", file, "--stop-at-end", "--log-level", "warn")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// modes grants each way to log in what check asks for, and nothing else; then
// it audits: franz-go reads, sarama writes, with transactions and without.
func modes(t *testing.T, k *kafka) {
	for _, l := range k.logins(t) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			k.makeTopic(t, l.name+"-ticks")
			k.feed(t, l.name+"-ticks")
			file := l.configure(t, k, l.name)
			k.grantAsked(t, l, file)
			guarantees := []string{"exactly_once_v2"}
			if l.name == "scram-256" || l.name == "bearer" {
				guarantees = append(guarantees, "at_least_once")
			}
			for _, guarantee := range guarantees {
				code, said := run(t, l.configure(t, k, l.name, "processing.guarantee="+guarantee))
				if code != 0 {
					t.Fatalf("%s: exit code %d\n%s", guarantee, code, said)
				}
				if n := k.unread(t, l.name+"-ticks", topology.NamesOf(l.name).Group); n != 0 {
					t.Errorf("%s: %d records were not audited", guarantee, n)
				}
				k.feed(t, l.name+"-ticks")
			}
			for name, c := range checks(t, file) {
				if strings.HasPrefix(name, "rights") && c.Status != check.OK {
					t.Errorf("%s: %s, %s", name, c.Status, c.Observed)
				}
			}
		})
	}
}

// grantAsked carries out the commands that check prints for a user without
// rights. They must be those that are documented.
func (k *kafka) grantAsked(t *testing.T, l login, file string) {
	t.Helper()
	var asked, documented []string
	var granted []acl
	for name, c := range checks(t, file) {
		if !strings.HasPrefix(name, "rights on") {
			continue
		}
		if c.Status != check.Fail {
			t.Errorf("without rights: %s: %s, %s", name, c.Status, c.Observed)
			continue
		}
		for _, right := range parse(t, c.Action) {
			granted = append(granted, right)
			asked = append(asked, fmt.Sprint(right.principal, right.prefixed, right))
		}
	}
	if len(granted) == 0 {
		t.Fatalf("check asks for no right: %+v", checks(t, file))
	}
	k.grant(t, granted...)
	for _, right := range k.documented(t, l.name, l.principal) {
		documented = append(documented, fmt.Sprint(right.principal, right.prefixed, right))
	}
	slices.Sort(asked)
	slices.Sort(documented)
	if !slices.Equal(asked, documented) {
		t.Errorf("check asks for\n%s\nbut documented is\n%s", strings.Join(asked, "\n"), strings.Join(documented, "\n"))
	}
}

// documented are the rights of docs/security.md for an audit.
func (k *kafka) documented(t *testing.T, name, principal string) (rights []acl) {
	t.Helper()
	for _, command := range check.Commands(check.Granting("kafka:9092", principal), layout(name), true) {
		rights = append(rights, parse(t, command)...)
	}
	return rights
}
