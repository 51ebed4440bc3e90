package demo

import (
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// crc32Producer adds a second producer of a few symbols that places keys by
// CRC-32, librdkafka's default, among producers that place them by murmur2.
// It writes until the market closes: were it to stop, its symbols would be
// silent on its partitions.
func crc32Producer() *Fault {
	var wanted []Expectation
	for _, s := range symbolsCRC32 {
		wanted = append(wanted, expect(engine.SymbolSplit, s, home(s), partitionOf(engine.HashCRC32, s)))
	}
	return &Fault{
		Name:    "crc32 producer",
		Does:    "a second producer writes " + strings.Join(symbolsCRC32, " and ") + " by crc32 among murmur2 ones",
		Expect:  wanted,
		touches: only(symbolsCRC32...),
		alter: func(m Message, _ int) []Message {
			other := m
			other.Second = true
			other.Partition = partitionOf(engine.HashCRC32, m.Symbol)
			return []Message{m, other}
		},
	}
}
