package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

func jsonDecoder() (codecs.TickDecoder, error) {
	return codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
}

// played is what a replay of topics has told.
type played struct {
	reports []*engine.Report
	bytes   []byte
	notes   []string
}

func (p *played) final(t *testing.T) *engine.Report {
	t.Helper()
	if len(p.reports) == 0 || p.reports[len(p.reports)-1].Trigger != engine.TriggerFinal {
		t.Fatalf("no FINAL report among %d", len(p.reports))
	}
	return p.reports[len(p.reports)-1]
}

func optionsFor(topics ...string) Options {
	return Options{Topics: topics, Limits: engine.DefaultLimits(), Decoder: jsonDecoder}
}

func play(ctx context.Context, t *testing.T, c *kafkatest.Cluster, o Options) (*played, error) {
	t.Helper()
	return playFrom(ctx, t, Cluster{Admin: c.Admin(t), Options: readerOptions(c)}, o)
}

func playFrom(ctx context.Context, t *testing.T, from Cluster, o Options) (*played, error) {
	t.Helper()
	p := &played{}
	o.Report = func(r *engine.Report) error {
		line, err := codecs.EncodeReport(r)
		p.reports, p.bytes = append(p.reports, r), append(append(p.bytes, line...), '\n')
		return err
	}
	o.Note = func(format string, args ...any) { p.notes = append(p.notes, fmt.Sprintf(format, args...)) }
	err := RunHistory(ctx, from, o)
	return p, err
}

func readerOptions(c *kafkatest.Cluster) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(100 * time.Millisecond),
	}
}

// mustPlay replays, twice: the second time must give the same bytes.
func mustPlay(t *testing.T, c *kafkatest.Cluster, o Options) *played {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	first, err := play(ctx, t, c, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := play(ctx, t, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.bytes, again.bytes) {
		t.Errorf("two runs gave different bytes: %s", firstDifference(first.bytes, again.bytes))
	}
	return first
}

// firstDifference shows where two texts part.
func firstDifference(a, b []byte) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	show := func(x []byte) []byte { return x[max(0, n-200):min(len(x), n+100)] }
	return fmt.Sprintf("at %d of %d and %d:\n…%s…\n…%s…", n, len(a), len(b), show(a), show(b))
}

// tickAt is a record of one tick whose record time is that of the tick.
func tickAt(topic string, partition int32, symbol string, at int64) *kgo.Record {
	return &kgo.Record{
		Topic: topic, Partition: partition, Key: []byte(symbol), Timestamp: time.Unix(0, at),
		Value: fmt.Appendf(nil, `{"symbol":%q,"ts":%d}`, symbol, at),
	}
}

// market makes records of several partitions with steps back, splits and
// broken values, from a seed.
func market(topic string, partitions, n int, seed uint64) []*kgo.Record {
	r := rand.New(rand.NewPCG(seed, 1))
	at := t0
	var out []*kgo.Record
	for range n {
		at += r.Int64N(40e6)
		symbol := r.IntN(60)
		p := int32(symbol % partitions)
		rec := tickAt(topic, p, fmt.Sprintf("S%02d", symbol), at)
		switch r.IntN(200) {
		case 0:
			rec.Value = fmt.Appendf(nil, `{"symbol":"S%02d","ts":%d}`, symbol, at-r.Int64N(3e9))
		case 1:
			rec.Value = []byte(`{"symbol":`)
		case 2:
			rec.Key = nil
		case 3:
			rec.Partition = int32(r.IntN(partitions))
		case 4:
			rec.Value = nil
		}
		out = append(out, rec)
	}
	return out
}

func TestHistoryOfATopic(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 5, "retention.ms=-1") // partition 4 stays empty
		records := market(topic, 4, 6000, 7)
		c.Produce(t, records...)
		f := mustPlay(t, c, optionsFor(topic)).final(t)
		if f.Counts.Records != 6000 || f.Mode != "REPLAY" || f.Partitions != 5 || f.PartitionTicks["4"] != 0 {
			t.Errorf("counts %+v of %d partitions", f.Counts, f.Partitions)
		}
		codes := map[string]bool{}
		for i := range f.Findings {
			codes[f.Findings[i].Code.String()] = true
		}
		for _, code := range []string{"UPSTREAM_DISORDER", "SYMBOL_SPLIT", "UNREADABLE", "KEY_MISSING"} {
			if !codes[code] {
				t.Errorf("%s is not among %v", code, slices.Sorted(maps.Keys(codes)))
			}
		}
	})
}

func TestStoppedReplayOfATopic(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 2)
	c.Produce(t, market(topic, 2, 400, 5)...)
	ctx, cancel := context.WithCancel(context.Background())
	o := optionsFor(topic)
	o.Decoder = func() (codecs.TickDecoder, error) {
		cancel() // before the first record is read
		return jsonDecoder()
	}
	p, err := play(ctx, t, c, o)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped after ") {
		t.Errorf("got %v", err)
	}
	for _, r := range p.reports {
		if r.Trigger == engine.TriggerFinal {
			t.Error("a FINAL report")
		}
	}
}
