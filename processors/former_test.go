package processors

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Rows of a topic that was deleted never count for the one that was made anew,
// whenever they were written: at least once, a process that has stood still
// writes its own behind those of the present topic. P is a partition's row, S
// those of its two symbols, of which the former topic has one more tick each.
func TestRowsOfAFormerTopic(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		rows      string
		count     int64
		fresh     bool
		deleted   string
		rewritten int
	}{
		{"P2 S2", 2, false, "", 0},
		{"P1 S1", 0, true, "A B", 0},
		{"P1 S1 P2 S2", 2, false, "", 2},
		{"P1 P2 S2 S1", 2, false, "", 2},
		{"P2 S2 P1 S1", 2, false, "", 2},
		{"S1 S2 P2", 2, false, "", 2},
		{"S2 P2 S1", 2, false, "", 2},
		{"P2 S1", 0, false, "A B", 0},
		{"S1", 0, false, "A B", 0},
		{"P1 S2", 0, true, "A B", 0},
		{"P0 S0 P1 S1", 0, true, "A B", 0},
		{"P0 S0 P1 S1 P2 S2 S0", 2, false, "", 2},
	} {
		t.Run(c.rows, func(t *testing.T) {
			t.Parallel()
			cfg := &Config{Status: NewStatus(), Limits: engine.DefaultLimits()}
			cfg.prepared = Prepared{Partitions: map[string]int32{"ticks": 1}, TopicIDs: map[string]string{"ticks": "topic 2"}}
			u := newSymbols(cfg, place{"ticks", 0}, "table", nil, zerolog.Nop())
			for _, name := range strings.Fields(c.rows) {
				for _, r := range rowsOfTopic(t, cfg, name) {
					if err := u.restore(r); err != nil {
						t.Fatal(err)
					}
				}
			}
			fresh, err := u.recovered(logBounds{0, 100, 100})
			if err != nil || fresh != c.fresh {
				t.Fatalf("fresh %v, %v; want %v", fresh, err, c.fresh)
			}
			slices.Sort(u.obsolete)
			if got := strings.Join(slices.Compact(u.obsolete), " "); got != c.deleted {
				t.Errorf("rows to be deleted %q, want %q", got, c.deleted)
			}
			snapshot := u.judge.Snapshot()
			if len(snapshot.Rows) != c.rewritten {
				t.Errorf("%d rows are written again, want %d", len(snapshot.Rows), c.rewritten)
			}
			for _, symbol := range []string{"A", "B"} {
				u.judge.Rewrite(symbol)
			}
			for _, r := range u.judge.Snapshot().Rows {
				if r.Count != c.count || r.Log != engine.LogOf("topic 2") {
					t.Errorf("symbol %s has %d ticks of log %d, want %d of topic 2", r.Symbol, r.Count, r.Log, c.count)
				}
			}
		})
	}
}

// rowsOfTopic are the rows that the audit of a topic writes: P of the partition, S
// of symbols, and the number in the topic's id.
func rowsOfTopic(t *testing.T, cfg *Config, name string) (rows []*kgo.Record) {
	t.Helper()
	p := engine.NewPartition("ticks", 0, 1, &cfg.Limits)
	p.SetTopicID("topic " + name[1:])
	ticks := map[string]int64{"0": 4, "1": 3, "2": 2}[name[1:]]
	for i := range 2 * ticks {
		symbol := []byte{"AB"[i%2]}
		at := (1700000000 + i) * 1e9
		p.Observe(&engine.Tick{Kind: engine.Good, Offset: i, Key: symbol, Symbol: symbol, EventTime: at, RecordTime: at}, engine.NoTime)
	}
	s := p.Snapshot()
	if name[0] == 'P' {
		value, err := codecs.EncodePartitionRow(&s.PartitionRow)
		if err != nil {
			t.Fatal(err)
		}
		return []*kgo.Record{{Key: codecs.PartitionKey("ticks"), Value: value}}
	}
	for i := range s.Rows {
		rows = append(rows, &kgo.Record{Key: codecs.SymbolKey("ticks", s.Rows[i].Symbol), Value: codecs.AppendSymbolRow(nil, &s.Rows[i])})
	}
	if len(rows) != 2 {
		t.Fatal(fmt.Errorf("%d rows of symbols", len(rows)))
	}
	return rows
}
