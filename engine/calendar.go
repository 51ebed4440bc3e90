package engine

import "time"

// Halt is what a tick says of a trading halt of its symbol.
type Halt uint8

// What a tick may say.
const (
	NoHalt  Halt = iota // nothing
	Halted              // trading is halted from now on
	Resumed             // it goes on
)

// Calendar says when a symbol's market is open. It answers the same whenever
// it is asked, from any goroutine.
type Calendar interface {
	Hours(symbol string) Hours
}

// Hours are a symbol's open hours.
type Hours interface {
	// Open is the open time between two instants, 0 when to is not after from.
	Open(from, to int64) time.Duration
	// After is the first instant by which so much open time has passed since
	// from, far in the future when that never comes.
	After(from int64, open time.Duration) int64
}
