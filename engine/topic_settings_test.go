package engine

import (
	"strings"
	"testing"
)

// With fewer than three replicas min.insync.replicas=2 stops producers: no
// command says so, whatever the cluster has.
func TestNoAdviceStopsProducers(t *testing.T) {
	for replicas := 1; replicas <= 4; replicas++ {
		for _, brokers := range []int{0, 1, 3} {
			for _, isr := range []string{"", "1", "2", "3"} {
				s := TopicSettings{Topic: "ticks", Brokers: brokers, Replicas: replicas, Values: map[string]string{"min.insync.replicas": isr}}
				for _, a := range s.Advise() {
					commands := strings.Contains(a.Action, "--add-config min.insync.replicas")
					if commands && replicas < 3 {
						t.Errorf("replication %d, min.insync.replicas %q: %s", replicas, isr, a.Action)
					}
					if a.Name == "min.insync.replicas" && replicas >= 3 && (isr == "1" || isr == "") && !commands {
						t.Errorf("replication %d, min.insync.replicas %q: no command in %q", replicas, isr, a.Action)
					}
				}
			}
		}
	}
}
