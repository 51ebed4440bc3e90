package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchTicks are ticks of one partition with that many symbols, in order.
func benchTicks(n, symbols int) []Tick {
	ts := make([]Tick, n)
	names := make([][]byte, symbols)
	for i := range names {
		names[i] = fmt.Appendf(nil, "EQ%06d", i)
	}
	for i := range ts {
		at := int64(1_735_831_800_000_000_000) + int64(i)*50_000
		s := names[i*7919%symbols]
		ts[i] = Tick{Offset: int64(i), RecordTime: at / 1e6 * 1e6, EventTime: at / 1e6 * 1e6, Symbol: s, Key: s, Value: []byte("{}"), Unit: UnitNanos}
	}
	return ts
}

// Half a checkpoint: the partition's row is durable, a symbol's is not. What is
// read again brings the symbol's up to it, and that must become durable before
// the offset moves on.
func TestSymbolsReadAgainAreDurableBeforeTheOffset(t *testing.T) {
	l := DefaultLimits()
	ticks := benchTicks(10, 1)
	before := NewPartition("ticks", 0, 1, &l)
	for i := range ticks {
		before.Observe(&ticks[i], NoTime)
	}
	p := NewPartition("ticks", 0, 1, &l)
	p.RestorePartition(before.Snapshot().PartitionRow)
	p.Snapshot()
	if p.Changed() {
		t.Fatal("changed although all is durable")
	}
	p.Observe(&ticks[3], NoTime)
	if !p.Changed() {
		t.Error("a symbol's row is not durable, and nothing says so")
	}
	if s := p.Snapshot(); len(s.Rows) != 1 || s.Rows[0].Through != 3 || s.PartitionRow.Through != 9 {
		t.Errorf("rows %+v, partition through %d", s.Rows, s.PartitionRow.Through)
	}
	if p.Changed() {
		t.Error("changed although all is durable again")
	}
}

// A stale row behind a newer one, as a process leaves that stood still: the
// newer one counts, and is to be written again.
func TestStaleRowsAreWrittenOver(t *testing.T) {
	l := DefaultLimits()
	ticks := benchTicks(10, 1)
	p := NewPartition("ticks", 0, 1, &l)
	var snapshots []*Snapshot
	for i := range ticks {
		p.Observe(&ticks[i], NoTime)
		if i%5 == 4 {
			snapshots = append(snapshots, p.Snapshot())
		}
	}
	older, newer := snapshots[0], snapshots[1]
	for stale, rows := range map[bool][]*Snapshot{false: {older, newer}, true: {newer, older}} {
		p := NewPartition("ticks", 0, 1, &l)
		p.Snapshot()
		for _, s := range rows {
			p.RestorePartition(s.PartitionRow)
			p.RestoreSymbol(s.Rows[0])
		}
		if p.Changed() != stale {
			t.Errorf("stale %v: changed is %v", stale, p.Changed())
		}
		s := p.Snapshot()
		if s.PartitionRow.Through != 9 || stale && (len(s.Rows) != 1 || s.Rows[0].Through != 9) {
			t.Errorf("stale %v: partition through %d, rows %+v", stale, s.PartitionRow.Through, s.Rows)
		}
	}
}

// BenchmarkObserve judges ticks of symbols that are known, in random order, at
// a million a second with a checkpoint each second. Beside it stands what the
// memory costs: each tick's symbol is found and touched, and nothing is judged.
// What lies between the two is flat from 1 000 symbols to 1 000 000.
func BenchmarkObserve(b *testing.B) {
	for _, symbols := range []int{1, 125, 1000, 60_000, 1_000_000} {
		l := DefaultLimits()
		p := NewPartition("ticks", 0, 16, &l)
		tick := Tick{Offset: -1, EventTime: 1_735_831_800e9, RecordTime: 1_735_831_800e9, Value: []byte("{}"), Unit: UnitNanos}
		next := func(name []byte) *Tick {
			tick.Offset++
			tick.EventTime += 1000
			tick.RecordTime = tick.EventTime / 1e6 * 1e6
			tick.Symbol, tick.Key = name, name
			return &tick
		}
		// A name comes with its record: it is made, not read from memory.
		name := []byte("EQ000000")
		named := func(i int) []byte {
			for at := len(name) - 1; at > 1; at-- {
				name[at], i = byte('0'+i%10), i/10
			}
			return name
		}
		for i := range symbols {
			p.Observe(next(named(i)), NoTime)
		}
		random := rand.New(rand.NewPCG(1, 1))
		b.Run(fmt.Sprintf("symbols=%d/judged", symbols), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Observe(next(named(random.IntN(symbols))), NoTime)
				if tick.Offset%1_000_000 == 999_999 {
					p.Snapshot()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
		})
		b.Run(fmt.Sprintf("symbols=%d/found", symbols), func(b *testing.B) {
			for b.Loop() {
				t := next(named(random.IntN(symbols)))
				s := p.symbol(t.Symbol)
				s.through, s.lastSeen = t.Offset, t.RecordTime
			}
		})
	}
}
