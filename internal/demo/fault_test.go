package demo

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// messagesOf gives what the producers write of a market's ticks while faults are
// on, without a broker.
func messagesOf(s Schedule, until time.Duration) []Message {
	in := newInjector(s.Faults)
	in.start(0)
	var out []Message
	for _, tick := range NewMarket(1, s.Length).Until(until) {
		out = append(out, in.inject(tick)...)
	}
	return out
}

// one is a schedule of one fault that is on from 2 s to 6 s.
func one(f *Fault) Schedule {
	return Schedule{Length: 20 * time.Second, Faults: []*Fault{f.window(2*time.Second, 6*time.Second)}}
}

func of(messages []Message, symbol string, partition int32) []Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m Message) bool {
		return m.Symbol != symbol || m.Partition != partition
	})
}

func countBackward(messages []Message) int {
	n, last := 0, time.Duration(0)
	for _, m := range messages {
		if m.Event < last {
			n++
			continue
		}
		last = m.Event
	}
	return n
}

func TestGarbageIsOneRecordThatIsNoJSON(t *testing.T) {
	bad := 0
	for _, m := range messagesOf(one(garbage()), 10*time.Second) {
		if !json.Valid(jsonFormat.Value(&m, 1)) {
			bad++
			if m.Symbol != symbolGarbage || m.Partition != home(symbolGarbage) {
				t.Errorf("garbage under %s on %d", m.Symbol, m.Partition)
			}
		}
	}
	if bad != 1 {
		t.Errorf("%d values are no JSON", bad)
	}
}

func TestDisorderStepsBackOnItsSymbolOnly(t *testing.T) {
	out := messagesOf(one(disorder()), 10*time.Second)
	for _, s := range Symbols() {
		got := countBackward(of(out, s, home(s)))
		if (got > 0) != (s == symbolDisorder) {
			t.Errorf("%s steps back %d times", s, got)
		}
	}
}

func TestSkewedClockIsAheadWhileItLasts(t *testing.T) {
	ahead := 0
	for _, m := range messagesOf(one(skewedClock()), 10*time.Second) {
		if m.Event == m.At {
			continue
		}
		ahead++
		if m.Symbol != symbolSkewed || m.Event-m.At != 37*time.Second || m.At < 2*time.Second || m.At >= 6*time.Second {
			t.Errorf("%s at %s has event time %s", m.Symbol, m.At, m.Event)
		}
	}
	if ahead < 4 {
		t.Errorf("%d ticks are ahead", ahead)
	}
}

func TestStalledSymbolStopsAndComesBack(t *testing.T) {
	during, after := 0, 0
	for _, m := range of(messagesOf(one(stalledSymbol()), 10*time.Second), symbolStalled, home(symbolStalled)) {
		switch {
		case m.At >= 6*time.Second:
			after++
		case m.At >= 2*time.Second:
			during++
		}
	}
	if during > 0 || after == 0 {
		t.Errorf("%d ticks while stalled, %d after", during, after)
	}
}

func TestCRC32ProducerSplitsItsSymbolsOnly(t *testing.T) {
	where := map[string]map[int32]bool{}
	for _, m := range messagesOf(one(crc32Producer()), 10*time.Second) {
		if where[m.Symbol] == nil {
			where[m.Symbol] = map[int32]bool{}
		}
		where[m.Symbol][m.Partition] = true
	}
	for _, s := range Symbols() {
		if (len(where[s]) > 1) != slices.Contains(symbolsCRC32, s) {
			t.Errorf("%s is on %d partitions", s, len(where[s]))
		}
	}
}

func TestHotSymbolOverloadsItsPartition(t *testing.T) {
	out := messagesOf(one(hotSymbol()), 10*time.Second)
	load, sum := make([]int, partitionCount), 0
	for _, m := range out {
		if m.At >= 2*time.Second && m.At < 6*time.Second {
			load[m.Partition]++
			sum++
		}
	}
	if hot := load[home(symbolHot)]; float64(hot*partitionCount)/float64(sum) < 3 {
		t.Errorf("loads %v", load)
	}
	if n := countBackward(of(out, symbolHot, home(symbolHot))); n > 0 {
		t.Errorf("the hot symbol steps back %d times", n)
	}
}

// Each fault must touch symbols of its own, or one would hide another.
func TestFaultsDoNotShareASymbol(t *testing.T) {
	for name, s := range map[string]Schedule{"minute": Minute(&jsonFormat), "brief": Brief(&jsonFormat)} {
		seen := map[string]string{}
		for _, f := range s.Faults {
			if len(f.Expect) == 0 && f.Name != haltedSymbol().Name || f.Until > s.Length || f.Until != 0 && f.Until <= f.From {
				t.Errorf("%s: %s expects %d findings from %s until %s", name, f.Name, len(f.Expect), f.From, f.Until)
			}
			for _, e := range f.Expect {
				for _, symbol := range append([]string{e.Symbol}, e.Symbols...) {
					if other := seen[symbol]; other != "" && other != f.Name {
						t.Errorf("%s: %s befalls %s and so does %s", name, f.Name, symbol, other)
					}
					seen[symbol] = f.Name
				}
			}
		}
	}
}

// One finding a partition tells of all values that cannot be read there.
func TestFaultsOfUnreadableValuesAreOnPartitionsOfTheirOwn(t *testing.T) {
	if home(symbolStray) == home(symbolGarbage) {
		t.Errorf("%s and %s are both on partition %d", symbolStray, symbolGarbage, home(symbolStray))
	}
}

// A fault that is found by its length goes on until it is found, on a machine
// so busy that its time was not enough; another ends when its time is over.
func TestAFaultThatLastsGoesOnUntilItIsFound(t *testing.T) {
	for _, test := range []struct {
		fault  *Fault
		found  time.Duration // 0: never
		silent time.Duration // when the fault ends
	}{
		{stalledSymbol(), time.Second, 6 * time.Second},
		{stalledSymbol(), 8 * time.Second, 8 * time.Second},
		{stalledSymbol(), 0, 9 * time.Second},
	} {
		now := time.Duration(0)
		in := newInjector(one(test.fault).Faults)
		in.patience, in.found = 3*time.Second, func(*Fault) bool { return test.found > 0 && now >= test.found }
		in.start(0)
		last := time.Duration(0)
		for _, tick := range NewMarket(1, 20*time.Second).Until(15 * time.Second) {
			if now = tick.At; len(in.inject(tick)) == 0 {
				last = tick.At
			}
		}
		if last > test.silent || last < test.silent-time.Second {
			t.Errorf("found at %s: the fault lasts until %s, want %s", test.found, last, test.silent)
		}
	}
}
