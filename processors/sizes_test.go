package processors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// small makes the topics of an audit anew with this max.message.bytes.
func small(r *rig, bytes int) option {
	for _, topic := range r.topo.Topics {
		if topic.Role == topology.RoleTicks {
			continue
		}
		if _, err := r.admin.DeleteTopics(context.Background(), topic.Name); err != nil {
			r.t.Fatal(err)
		}
		kafkatest.Eventually(r.t, "topic "+topic.Name+" to be made again", func() bool {
			limit, policy := strconv.Itoa(bytes), topic.CleanupPolicy
			_, err := r.admin.CreateTopic(context.Background(), r.counts[topic.Name], 1,
				map[string]*string{"max.message.bytes": &limit, "cleanup.policy": &policy}, topic.Name)
			return err == nil
		})
	}
	return func(r *rig) {
		prepare := r.cfg.Prepare
		r.cfg.Prepare = func(ctx context.Context) (processors.Prepared, error) {
			p, err := prepare(ctx)
			p.MaxBytes = map[string]int{}
			for _, topic := range r.topo.Topics {
				p.MaxBytes[topic.Name] = bytes
			}
			return p, err
		}
		r.cfg.Limits.SymbolsPerReport = 100_000
		r.cfg.Limits.FindingsPerReport = 100_000
		r.cfg.Limits.MaxSymbolSilence = time.Minute
	}
}

// G-62: reports, statistics and dead letters stay below what their topics take;
// totals are true and the input moves on.
func TestG62SmallMaxMessageBytes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		limits := small(r, processors.MinMessageBytes)
		const symbols = 150
		var records []*kgo.Record
		name := func(i int) string { return fmt.Sprintf("%s-%04d", strings.Repeat("LONGSYMBOL", 12), i) }
		for i := range symbols {
			records = append(records, r.tick(0, name(i), 10*time.Second))
		}
		for i := range symbols {
			tick := r.tick(0, name(i), 5*time.Second)
			tick.Timestamp = time.Unix(0, t0+int64(10*time.Second))
			records = append(records, tick)
		}
		bad := r.tick(0, "QXA", 10*time.Second)
		bad.Value = append([]byte(`{"symbol":`), bytes.Repeat([]byte{0xff}, 200_000)...)
		records = append(records, bad, r.tick(0, "QXA", 11*time.Second))
		r.produce(records...)
		r.audit(guarantee, limits)

		final := r.final(r.topic())
		wantTicks(t, final, map[string]int64{"0": 2*symbols + 1})
		if final.Counts.Unreadable != 1 || final.OutOfOrderTotal != symbols || final.Symbols != symbols+1 {
			t.Errorf("totals %+v, %d out of order, %d symbols", final.Counts, final.OutOfOrderTotal, final.Symbols)
		}
		found, _ := r.opened()
		if n := len(found[engine.UpstreamDisorder]); n != symbols {
			t.Errorf("%d findings opened, want %d", n, symbols)
		}
		if u := found[engine.UnreadableValue]; len(u) != 1 || u[0].FirstOffset != 2*symbols {
			t.Errorf("unreadable %+v", u)
		}
		cut := 0
		for _, report := range r.reports() {
			if strings.Contains(report.Notes, "max.message.bytes") {
				cut++
			}
		}
		if cut == 0 {
			t.Error("no report was cut: the test shows nothing")
		}
		letters := r.letters()
		if len(letters) != 1 || len(letters[0].Value) < 20_000 || !bytes.HasPrefix(bad.Value, letters[0].Value) {
			t.Fatalf("%d letters", len(letters))
		}
		if got := r.committed(r.topic(), 0); got != 2*symbols+2 {
			t.Errorf("committed %d", got)
		}
	})
}

// Topics into which no report fits are refused, with the number that would do.
func TestTooSmallTopicsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	err := r.start(small(r, 1000)).wait()
	var size *processors.SizeError
	if !errors.As(err, &size) || size.Takes != 1000 {
		t.Errorf("%v, want a SizeError", err)
	}
}
