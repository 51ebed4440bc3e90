package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// verdict is what the batch audit, the streaming audit and the twin must
// agree on.
type verdict struct {
	ticks      int64
	partitions []int64
	disorder   map[string]int64
	worst      map[string]int64 // nanoseconds
	ahead, old int64
	lag        int64 // -1: unknown
	skew       float64
	judged     bool // the skew
	status     Status
}

func (v *verdict) String() string {
	s := fmt.Sprintf("ticks=%d partitions=%v ahead=%d old=%d lag=%d skew=%.6f judged=%v status=%v disorder", v.ticks, v.partitions, v.ahead, v.old, v.lag, v.skew, v.judged, v.status)
	for _, k := range slices.Sorted(maps.Keys(v.disorder)) {
		s += fmt.Sprintf(" %s=%d/%d", k, v.disorder[k], v.worst[k])
	}
	return s
}

// twinCase is a generated topic. All its ticks lie in one window.
type twinCase struct {
	partitions int32
	hash       Hash
	limits     Limits
	now        int64
	ticks      []BatchTick
	consumed   map[int32]int64
}

func newTwinCase(random *rand.Rand) *twinCase {
	c := &twinCase{partitions: 1 + random.Int32N(4), limits: DefaultLimits(), consumed: map[int32]int64{}}
	c.hash = Hashes()[random.IntN(len(Hashes()))]
	c.limits.PartitionSkewMin = random.Int64N(12)
	c.limits.MaxLagTicks = random.Int64N(8)
	c.limits.MaxTickAge = time.Duration(random.Int64N(3)) * time.Second
	c.limits.ClockSkewTolerance = time.Duration(random.Int64N(3)) * 500 * time.Millisecond
	c.limits.PartitionSkew = 1 + random.Float64()*2
	c.limits.BackfillMin = 0 // it needs to know which ticks are live, and batches do not say
	c.now = t0 + 5e9
	if calm := random.IntN(3) == 0; calm {
		c.limits.MaxTickAge, c.limits.ClockSkewTolerance, c.limits.MaxLagTicks = 0, 10*time.Second, 100
	}
	at := t0 + random.Int64N(6e9)
	symbols := 1 + random.IntN(5)
	for range random.IntN(14) {
		at += random.Int64N(3) * 20e6
		tick := BatchTick{string(rune('A'+random.IntN(symbols))) + "X", at}
		switch random.IntN(14) {
		case 0:
			tick.TimestampNanos -= random.Int64N(1e9)
		case 1:
			tick.TimestampNanos += random.Int64N(3e9)
		}
		tick.TimestampNanos = min(max(tick.TimestampNanos, t0), t0+10e9-1)
		c.ticks = append(c.ticks, tick)
	}
	for p := range c.partitions {
		if random.IntN(2) == 0 {
			c.consumed[p] = random.Int64N(6)
		}
	}
	return c
}

// twin judges the case in the simplest way: for each tick it looks through
// all that came before.
func (c *twinCase) twin() *verdict {
	v := &verdict{partitions: make([]int64, c.partitions), disorder: map[string]int64{}, worst: map[string]int64{}, lag: -1, status: StatusHealthy}
	far := func(t BatchTick) bool {
		return t.TimestampNanos-c.now > max(int64(time.Second), int64(c.limits.ClockSkewTolerance))
	}
	names := map[string]bool{}
	for i, t := range c.ticks {
		v.ticks++
		v.partitions[c.hash.Partition([]byte(t.Symbol), c.partitions)]++
		names[t.Symbol] = true
		if t.TimestampNanos-c.now > int64(c.limits.ClockSkewTolerance) {
			v.ahead++
		}
		if c.limits.MaxTickAge > 0 && c.now-t.TimestampNanos > int64(c.limits.MaxTickAge) {
			v.old++
		}
		var greatest int64
		for _, before := range c.ticks[:i] {
			if before.Symbol == t.Symbol && far(before) == far(t) {
				greatest = max(greatest, before.TimestampNanos)
			}
		}
		if t.TimestampNanos < greatest {
			v.disorder[t.Symbol]++
			v.worst[t.Symbol] = max(v.worst[t.Symbol], greatest-t.TimestampNanos)
		}
	}
	beyond := false
	for p, at := range c.consumed {
		beyond = beyond || at > v.partitions[p]
		v.lag = max(v.lag, v.partitions[p]-at, 0)
	}
	if v.ticks > 0 && int32(len(names)) >= c.partitions && v.ticks >= c.limits.PartitionSkewMin {
		v.judged = true
		v.skew = float64(slices.Max(v.partitions)) / (float64(v.ticks) / float64(c.partitions))
	}
	switch {
	case beyond:
		v.status = StatusOffset
	case v.lag > c.limits.MaxLagTicks:
		v.status = StatusLag
	case v.ahead > 0:
		v.status = StatusSkew
	case v.old > 0:
		v.status = StatusStale
	case v.judged && v.skew > c.limits.PartitionSkew:
		v.status = StatusUnbalanced
	}
	return v
}

// verdictOf reads a report.
func verdictOf(r *Report) *verdict {
	v := &verdict{ticks: r.TotalTicks, disorder: map[string]int64{}, worst: map[string]int64{}, ahead: r.Counts.Ahead, old: r.Counts.Old, lag: -1, status: r.Status}
	for p := range r.Partitions {
		v.partitions = append(v.partitions, r.PartitionTicks[fmt.Sprint(p)])
	}
	if r.MaxLagTicks != nil {
		v.lag = *r.MaxLagTicks
	}
	v.skew, v.judged = r.SkewRatio, r.SkewApplicable
	for _, f := range r.Findings {
		if f.Code == UpstreamDisorder {
			v.disorder[f.Symbol] += f.Count
			v.worst[f.Symbol] = max(v.worst[f.Symbol], f.Evidence["worst_step_ns"].(int64))
		}
	}
	return v
}

// batch audits the case in that many calls.
func (c *twinCase) batch(calls int) (*verdict, error) {
	a, err := NewAuditor(c.partitions, c.hash, c.limits)
	if err != nil {
		return nil, err
	}
	sum := &verdict{partitions: make([]int64, c.partitions), disorder: map[string]int64{}, worst: map[string]int64{}, lag: -1}
	for i := range calls {
		part := c.ticks[i*len(c.ticks)/calls : (i+1)*len(c.ticks)/calls]
		var consumed map[int32]int64
		if i == calls-1 {
			consumed = c.consumed
		}
		r, err := a.Audit(part, consumed, c.now)
		if err != nil {
			return nil, err
		}
		v := verdictOf(r)
		for p, n := range v.partitions {
			sum.partitions[p] += n
		}
		for s, n := range v.disorder {
			sum.disorder[s] += n
			sum.worst[s] = max(sum.worst[s], v.worst[s])
		}
		sum.ticks, sum.ahead, sum.old = sum.ticks+v.ticks, sum.ahead+v.ahead, sum.old+v.old
		sum.lag, sum.skew, sum.judged, sum.status = v.lag, v.skew, v.judged, v.status
	}
	return sum, nil
}

// stream audits the case as a replay does.
func (c *twinCase) stream() *verdict {
	l := c.limits
	l.Now, l.Replay = c.now, true
	parts := make([]*Partition, c.partitions)
	for p := range parts {
		parts[p] = NewPartition("", int32(p), c.partitions, &l)
	}
	for _, t := range c.ticks {
		p := parts[c.hash.Partition([]byte(t.Symbol), c.partitions)]
		tick := Tick{Offset: p.Through() + 1, RecordTime: NoTime, EventTime: t.TimestampNanos, Symbol: []byte(t.Symbol), Key: []byte(t.Symbol), Value: []byte("{}")}
		p.Observe(&tick, NoTime)
	}
	topic := NewTopic("", c.partitions, &l)
	var samples []LagSample
	for p, part := range parts {
		part.Close(NoTime)
		topic.Fold(part.Snapshot().Stats)
		if at, ok := c.consumed[int32(p)]; ok {
			samples = append(samples, LagSample{Group: "g", Partition: int32(p), Committed: at, Start: 0, End: part.Through() + 1})
		}
	}
	topic.ObserveLag(samples, NoTime)
	return verdictOf(topic.Final(""))
}

// TestBatchAndStreamAgreeWithATwinThatKeepsAllHistory prints the seed of a
// case that differs.
func TestBatchAndStreamAgreeWithATwinThatKeepsAllHistory(t *testing.T) {
	cases := uint64(50_000)
	if testing.Short() || raceDetector {
		cases = 1_500
	}
	const shares = 4
	for share := range uint64(shares) {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			t.Parallel()
			for seed := share; seed < cases; seed += shares {
				c := newTwinCase(rand.New(rand.NewPCG(3, seed)))
				want := c.twin()
				got, err := c.batch(1)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got.String() != want.String() {
					t.Fatalf("seed %d: batch\n %v\ntwin\n %v", seed, got, want)
				}
				if got := c.stream(); got.String() != want.String() {
					t.Fatalf("seed %d: stream\n %v\ntwin\n %v\n%+v", seed, got, want, c)
				}
				calls, err := c.batch(3)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				// Skew, and so the status, is of each call alone.
				calls.skew, calls.judged, calls.status = want.skew, want.judged, want.status
				if calls.String() != want.String() {
					t.Fatalf("seed %d: batch in 3 calls\n %v\ntwin\n %v", seed, calls, want)
				}
			}
		})
	}
}

// TestTwinSeesEveryStatus holds the generator to reach all that is judged.
func TestTwinSeesEveryStatus(t *testing.T) {
	seen := map[Status]int{}
	disorders := 0
	for seed := range uint64(1_000) {
		v := newTwinCase(rand.New(rand.NewPCG(3, seed))).twin()
		seen[v.status]++
		disorders += len(v.disorder)
	}
	var missing []string
	for s := StatusOffset; s <= StatusHealthy; s++ {
		if seen[s] < 10 {
			missing = append(missing, s.String())
		}
	}
	if len(missing) > 0 || disorders < 100 {
		t.Errorf("hardly any %s; %d disorders", strings.Join(missing, ", "), disorders)
	}
}
