package nearest_test

import (
	"testing"

	"github.com/auditstream/auditstream/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"topics", "audit.topic", "max.lag.ms", "max.lag.ticks"}
	for given, want := range map[string]string{
		"topcs":        "topics",
		"topisc":       "topics",
		"TOPICS":       "topics",
		"audit.topics": "audit.topic",
		"max.lag.tick": "max.lag.ticks",
		"retention":    "",
		"":             "",
	} {
		if got := nearest.Name(given, known); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}
