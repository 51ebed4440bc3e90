package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// namesByColumn are the clients' choices by the column of the vectors, as the
// clients' own code has it. None is left out of the table of partitioners.
var namesByColumn = map[string]string{
	"murmur2": "murmur2 java kafka-python kafka-python:sticky aiokafka kafkajs kafkajs:default kafkajs:java-compatible librdkafka:murmur2 " +
		"librdkafka:murmur2_random franz-go franz-go:sticky-key sarama:murmur2 segmentio:murmur2 segmentio:murmur2-consistent",
	"crc32":          "crc32 librdkafka librdkafka:consistent_random librdkafka:consistent sarama:crc32 franz-go:sarama-crc32 segmentio:crc32 segmentio:crc32-consistent",
	"fnv1a_abs":      "fnv1a fnv1a-abs sarama sarama:hash goka librdkafka:fnv1a librdkafka:fnv1a_random franz-go:sarama-compat segmentio:hash",
	"fnv1a_mask":     "fnv1a-mask sarama:reference segmentio:reference franz-go:kafka-fnv1a",
	"fnv1a_unsigned": "fnv1a-uint franz-go:sarama",
	"kafkajs_legacy": "kafkajs-legacy kafkajs:legacy",
}

// vectors are the partitions that clients wrote to: by partition count and
// column, for each key in hexadecimal.
func vectors(t *testing.T) (keys map[string][]string, wanted map[string]map[string][]string) {
	t.Helper()
	f, err := os.Open("../../engine/testdata/partitioner-vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	keys, wanted = map[string][]string{}, map[string]map[string][]string{}
	for _, row := range rows[1:] {
		n := row[1]
		if row[0] == "" {
			continue // what becomes of no bytes is each client's own rule
		}
		if wanted[n] == nil {
			wanted[n] = map[string][]string{}
		}
		keys[n] = append(keys[n], row[0])
		for i, column := range rows[0][2:] {
			wanted[n][column] = append(wanted[n][column], row[2+i])
		}
	}
	return keys, wanted
}

func TestPlanPlacesKeysAsEveryClientDoes(t *testing.T) {
	keys, wanted := vectors(t)
	named := map[string]bool{"segmentio": true} // ignores keys
	for column, names := range namesByColumn {
		for _, name := range strings.Fields(names) {
			named[name] = true
			for n, want := range wanted {
				code, out, errs := planRun(strings.Join(keys[n], "\n"), "partition", "--keys", "-", "--hex", "--json", "--partitions", n, "--partitioner", name)
				var got []string
				for line := range strings.Lines(out) {
					var placed struct {
						Partition *int32 `json:"partition"`
					}
					if err := json.Unmarshal([]byte(line), &placed); err != nil || placed.Partition == nil {
						t.Fatalf("%s: %q (%v)", name, line, err)
					}
					got = append(got, fmt.Sprint(*placed.Partition))
				}
				if code != exitDone || !slices.Equal(got, want[column]) {
					t.Errorf("%s over %s: exit %d, %s\n got %v\nwant %v", name, n, code, errs, got, want[column])
				}
			}
		}
	}
	for _, p := range engine.Partitioners() {
		if !named[p.Name] {
			t.Errorf("%s is compared with no client", p.Name)
		}
	}
}

// Every client is told either its settings or why there are none, to people
// and to machines.
func TestPlanProducerOfEveryClient(t *testing.T) {
	order := map[string][]string{ // what keeps order, by the client's own names
		"java":         {"enable.idempotence=true", "acks=all", "max.in.flight.requests.per.connection=5"},
		"librdkafka":   {"enable.idempotence=true", "acks=all", "max.in.flight.requests.per.connection=5"},
		"kafka-python": {"enable_idempotence=true", "acks=all", "max_in_flight_requests_per_connection=5"},
		"aiokafka":     {"enable_idempotence=true", "acks=all"},
		"kafkajs":      {"idempotent=true", "acks=-1", "maxInFlightRequests=1"},
		"sarama":       {"Producer.Idempotent=true", "Producer.RequiredAcks=WaitForAll", "Net.MaxOpenRequests=1"},
		"goka":         {"Producer.Idempotent=true", "Producer.RequiredAcks=WaitForAll", "Net.MaxOpenRequests=1"},
		"franz-go":     {"DisableIdempotentWrite=false", "RequiredAcks=AllISRAcks()"},
	}
	for _, p := range engine.Partitioners() {
		if p.Client == "" {
			continue
		}
		code, out, errs := planRun("", "producer", "--client", p.Name, "--json")
		var settings map[string]any
		if err := json.Unmarshal([]byte(out), &settings); err != nil {
			t.Errorf("%s: %q (%v)", p.Name, out, err)
			continue
		}
		if p.Client == "segmentio" {
			if code != exitFailed || !strings.Contains(fmt.Sprint(settings["refused"]), "no idempotent producer") {
				t.Errorf("%s: exit %d, %s", p.Name, code, out)
			}
			continue
		}
		_, table, _ := planRun("", "producer", "--client", p.Name)
		for _, want := range order[p.Client] {
			name, value, _ := strings.Cut(want, "=")
			if code != exitDone || fmt.Sprint(settings[name]) != value || !strings.Contains(table, name) {
				t.Errorf("%s: exit %d, %s, %s; want %s\n%s", p.Name, code, errs, out, want, table)
			}
		}
		if len(settings) <= len(order[p.Client]) || len(order[p.Client]) == 0 {
			t.Errorf("%s: %v names no partitioner", p.Name, slices.Sorted(maps.Keys(settings)))
		}
	}
}
