package main

import (
	"fmt"
	"math/rand"
	"strconv"
	"time"
)

// benchMarket generates the same ticks each time: symbols by a Zipf law, about
// one tick in a thousand behind its symbol's last one.
type benchMarket struct {
	r        *rand.Rand
	zipf     *rand.Zipf
	names    [][]byte
	last     []int64
	mid      []int64 // price in 1/10000
	clock    int64
	backward int
}

func newBenchMarket(symbols int) *benchMarket {
	r := rand.New(rand.NewSource(42))
	m := &benchMarket{
		r: r, zipf: rand.NewZipf(r, 1.1, 1, uint64(symbols-1)), names: make([][]byte, symbols),
		last: make([]int64, symbols), mid: make([]int64, symbols),
		clock: time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC).UnixNano(),
	}
	for i := range m.names {
		m.names[i] = fmt.Appendf(nil, "EQ%06d", i)
		m.mid[i] = 1_000_000 + r.Int63n(8_000_000)
	}
	return m
}

// tick is one of a symbol.
func (m *benchMarket) tick(s uint64) (key, value []byte) {
	m.clock += 1000 + m.r.Int63n(18_000)
	at := m.clock
	if m.last[s] != 0 && m.r.Intn(1000) == 0 {
		at = m.last[s] - int64(time.Millisecond) - m.r.Int63n(int64(49*time.Millisecond))
		m.backward++
	} else {
		m.last[s] = at
	}
	m.mid[s] = max(100_000, m.mid[s]+(m.r.Int63n(21)-10)*100)
	spread := 100 + m.r.Int63n(4)*100
	b := make([]byte, 0, 192)
	b = append(append(b, `{"symbol":"`...), m.names[s]...)
	b = strconv.AppendInt(append(b, `","timestamp_ns":`...), at, 10)
	b = benchPrice(append(b, `,"bid_price":`...), m.mid[s]-spread)
	b = benchPrice(append(b, `,"ask_price":`...), m.mid[s]+spread)
	b = strconv.AppendInt(append(b, `,"bid_size":`...), 100*(1+m.r.Int63n(50)), 10)
	b = strconv.AppendInt(append(b, `,"ask_size":`...), 100*(1+m.r.Int63n(50)), 10)
	b = benchPrice(append(b, `,"last_price":`...), m.mid[s])
	b = strconv.AppendInt(append(b, `,"last_size":`...), 1+m.r.Int63n(2000), 10)
	return m.names[s], append(b, '}')
}

func benchPrice(b []byte, p int64) []byte {
	b = strconv.AppendInt(b, p/10_000, 10)
	return append(b, fmt.Sprintf(".%04d", p%10_000)...)
}
