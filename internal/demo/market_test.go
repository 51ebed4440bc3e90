package demo

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func TestSameSeedGivesTheSameMarket(t *testing.T) {
	whole := NewMarket(7, time.Minute).Until(20 * time.Second)
	m := NewMarket(7, time.Minute)
	var pieces []Tick
	for at := time.Duration(0); at <= 20*time.Second; at += 130 * time.Millisecond {
		pieces = append(pieces, m.Until(at)...)
	}
	pieces = append(pieces, m.Until(20*time.Second)...)
	if !reflect.DeepEqual(whole, pieces) {
		t.Errorf("%d ticks in one go, %d in pieces, or others", len(whole), len(pieces))
	}
	if reflect.DeepEqual(whole, NewMarket(8, time.Minute).Until(20*time.Second)) {
		t.Error("another seed gives the same market")
	}
}

func TestSymbolsAreDistinct(t *testing.T) {
	names := Symbols()
	slices.Sort(names)
	if len(slices.Compact(names)) != symbolCount {
		t.Errorf("%d distinct symbols of %d", len(slices.Compact(names)), symbolCount)
	}
}

// A market without faults must give the audit nothing to tell.
func TestMarketIsSound(t *testing.T) {
	for seed := range uint64(10) {
		last := map[string]Tick{}
		silence := time.Duration(0)
		for _, tick := range NewMarket(seed, time.Minute).Until(time.Minute) {
			before, seen := last[tick.Symbol]
			if seen && (tick.At <= before.At || tick.Sequence != before.Sequence+1) {
				t.Fatalf("seed %d: %+v follows %+v", seed, tick, before)
			}
			silence = max(silence, tick.At-before.At)
			last[tick.Symbol] = tick
		}
		if len(last) != symbolCount {
			t.Errorf("seed %d: %d symbols have ticked", seed, len(last))
		}
		if silence > time.Second {
			t.Errorf("seed %d: a symbol was silent for %s", seed, silence)
		}
	}
}

func TestPartitionsAreBalancedInEveryWindow(t *testing.T) {
	const window = 2 * time.Second
	for seed := range uint64(10) {
		loads := map[int64][]float64{}
		for _, tick := range NewMarket(seed, time.Minute).Until(time.Minute) {
			w := int64(tick.At / window)
			if loads[w] == nil {
				loads[w] = make([]float64, partitionCount)
			}
			loads[w][message(tick).Partition]++
		}
		for w, load := range loads {
			sum := 0.0
			for _, n := range load {
				sum += n
			}
			if ratio := slices.Max(load) * partitionCount / sum; ratio > 1.5 {
				t.Errorf("seed %d, window %d: busiest is %.2f times the mean: %v", seed, w, ratio, load)
			}
		}
	}
}

func TestSessionHasItsBursts(t *testing.T) {
	rate := map[time.Duration]int{}
	for _, tick := range NewMarket(1, time.Minute).Until(time.Minute) {
		rate[tick.At/(time.Minute/12)]++
	}
	if opening, middle, closing := rate[0], rate[6], rate[11]; opening < 2*middle || closing < 2*middle {
		t.Errorf("opening %d, middle %d, closing %d ticks", opening, middle, closing)
	}
}

func TestValueIsATick(t *testing.T) {
	tick := NewMarket(1, time.Minute).Until(time.Second)[0]
	m := message(tick)
	value := jsonFormat.Value(&m, 1_700_000_000_000_000_000)
	var got struct {
		Symbol string  `json:"symbol"`
		Time   int64   `json:"timestamp_ns"`
		Bid    float64 `json:"bid_price"`
	}
	if err := json.Unmarshal(value, &got); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	if got.Symbol != tick.Symbol || got.Time != 1_700_000_000_000_000_000+int64(tick.At) ||
		math.Abs(got.Bid*100-float64(tick.Bid)) > 1e-6 {
		t.Errorf("%s of %+v", value, tick)
	}
	if len(value) < 140 || len(value) > 190 {
		t.Errorf("%d bytes: %s", len(value), value)
	}
}

func TestTheTwoHashesDisagreeOnTheSplitSymbols(t *testing.T) {
	for _, s := range symbolsCRC32 {
		if partitionOf(engine.HashMurmur2, s) == partitionOf(engine.HashCRC32, s) {
			t.Errorf("%s is on partition %d by both", s, partitionOf(engine.HashCRC32, s))
		}
	}
}
