package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/dlq"
	"github.com/auditstream/auditstream/internal/view"
)

// fits fails for lines that a terminal of 80 columns would break.
func fits(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%s: %d columns: %s", what, n, line)
		}
	}
}

const longTopic = "prod-eu-central-1.marketdata.equities.consolidated.ticks.v3"

// checksOfLongNames are checks as they come of a cluster with long names.
func checksOfLongNames() []check.Check {
	command := check.Granting("kafka-0.brokers.eu-central-1.example.com:9093", `User:CN=auditstream,O=Example Trading\, Inc.`)
	return []check.Check{
		{Name: "reach", Status: check.OK, Observed: "kafka-0.brokers.eu-central-1.example.com:9093, 4 brokers, the slowest answers in 12 ms", Expected: "a broker answers"},
		{Name: "ticks topic " + longTopic, Status: check.OK, Observed: "12 partitions"},
		{Name: "versions", Status: check.OK},
		{Name: "table topic auditstream-equities-consolidated-table", Status: check.Fail, Observed: "2 partitions", Expected: "12 partitions, cleanup.policy=compact",
			Action: "kafka-topics.sh --bootstrap-server kafka-0.brokers.eu-central-1.example.com:9093 --alter --topic auditstream-equities-consolidated-table --partitions 12, or delete it to audit from the start"},
		{Name: "rights on topic " + longTopic, Status: check.Fail, Observed: "missing: Read; present: Describe, DescribeConfigs", Expected: "Describe, Read, DescribeConfigs",
			Action: command + " --operation Read --topic " + longTopic},
		{Name: "watched group x", Status: check.Unknown, Observed: "describe the group: GROUP_AUTHORIZATION_FAILED: Not authorized to access group.", Action: "grant it"},
	}
}

func TestChecksFit80Columns(t *testing.T) {
	var out bytes.Buffer
	if err := checkTable(&out, view.Style{}, terminalWidth(&out), checksOfLongNames()); err != nil {
		t.Fatal(err)
	}
	fits(t, "check", out.String())
	for _, want := range []string{
		"✓  reach            kafka-0.brokers.eu-central-1.example.com:9093, 4 brokers,\n                    the slowest answers in 12 ms\n",
		"✓  ticks topic " + longTopic + "\n                    12 partitions\n",
		"✓  versions\n",
		" --partitions 12, or ",
		" --operation Read \\\n     --topic " + longTopic + "\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("does not show %q:\n%s", want, out.String())
		}
	}
	// What is advised stands there word for word, once lines are joined as a
	// shell does it.
	joined := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\\\n", "")), " ")
	for _, c := range checksOfLongNames() {
		if !strings.Contains(joined, c.Action) {
			t.Errorf("%q is not among\n%s", c.Action, joined)
		}
	}
}

func TestLettersFit80Columns(t *testing.T) {
	var out bytes.Buffer
	o := letterOutput{w: &out}
	for _, l := range []*dlq.Letter{
		{Record: &kgo.Record{Partition: 3, Offset: 17, Timestamp: time.Unix(1_764_000_000, 0)}, LetterInfo: codecs.LetterInfo{Error: "not_json", Place: &engine.Place{Topic: "ticks", Partition: 1, Offset: 5}}},
		{Record: &kgo.Record{Partition: 1023, Offset: 123_456_789_012, Timestamp: time.Unix(1_764_000_000, 0)}, LetterInfo: codecs.LetterInfo{Retries: 3,
			Error: "schema_unknown_and_more_than_that", Place: &engine.Place{Topic: longTopic, Partition: 1999, Offset: 9_123_456_789}}},
	} {
		if err := o.show(l, "skipped", "topic "+longTopic+" is none of the configured topics, and so nothing is written to it"); err != nil {
			t.Fatal(err)
		}
	}
	fits(t, "dlq", out.String())
	if !strings.Contains(out.String(), "1023@123456789012  ") || !strings.Contains(out.String(), "@9123456789  ") {
		t.Errorf("places are cut:\n%s", out.String())
	}
}

func TestPlansFit80Columns(t *testing.T) {
	long := []string{"NASDAQ.CONSOLIDATED.EQUITY.AAPL.PRIMARY-LISTING.2026-12-18.C.00250000.WEEKLY.XNAS", "BTC-USD", "größe größe"}
	clients := "librdkafka:consistent_random,java,kafka-python,sarama:reference,kafkajs,aiokafka"
	for _, args := range [][]string{
		append([]string{"partition", "--partitions", "12"}, long...),
		append([]string{"partition", "--partitions", "12", "--partitioner", "segmentio"}, long...),
		{"partition", "--list"},
		append([]string{"divergence", "--partitions", "12", "--clients", clients}, long...),
		append([]string{"growth", "--from", "8", "--to", "96"}, long...),
		{"topic", "--rate", "1000000000", "--size", "168", "--consumers", "12"},
		{"capacity", "--rate", "100000000", "--symbols", "1000000", "--partitions", "10000"},
	} {
		code, out, said := planRun("", args...)
		if code != exitDone {
			t.Errorf("%v: %s", args, said)
		}
		fits(t, fmt.Sprint("plan ", args[0]), out)
		if args[0] == "divergence" && (!strings.Contains(out, "#1  #2") || !strings.Contains(out, "\n#4 sarama:reference\n")) {
			t.Errorf("divergence:\n%s", out)
		}
	}
	for _, p := range engine.Partitioners() {
		if p.Client == "" {
			continue
		}
		_, out, _ := planRun("", "producer", "--client", p.Name)
		fits(t, "plan producer "+p.Name, out)
	}
}
