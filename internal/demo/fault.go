package demo

import (
	"slices"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Fault is something that goes wrong in the market, and what the audit must
// find because of it.
type Fault struct {
	Name   string // as the demo prints it
	Does   string // one clause: what happens
	From   time.Duration
	Until  time.Duration // 0: until the market closes
	Lasts  bool          // it is found by its length, so it goes on until it is found
	Expect []Expectation // none: the audit must find nothing

	touches func(symbol string) bool
	alter   func(m Message, n int) []Message // what becomes of the n-th message that it touches, from 0
}

// Expectation is one finding that a fault must bring about.
type Expectation struct {
	Code       engine.Code
	Kind       string        // of the evidence; empty where the code has none
	Reason     engine.Reason // why values are unreadable; none: any reason
	Symbol     string
	Symbols    []string // of which any may be named, nil: Symbol alone
	Unnamed    bool     // the finding names no symbol
	Blames     string   // what the evidence must attribute it to in the end; empty: anything
	Partitions []int32  // where the fault shows
}

// Subject is what the fault befalls.
func (e *Expectation) Subject() string {
	if e.Symbols != nil {
		return e.Blames
	}
	return e.Symbol
}

// on says whether the fault is on at a time since the market opened. One that
// lasts goes on beyond its end while found says that it was not found, for as
// long as patience: on a busy machine the audit does not look all the time.
func (f *Fault) on(at, patience time.Duration, found func(*Fault) bool) bool {
	switch {
	case at < f.From:
		return false
	case f.Until == 0 || at < f.Until:
		return true
	}
	return f.Lasts && at < f.Until+patience && !found(f)
}

// expect is one finding about one symbol on partitions.
func expect(code engine.Code, symbol string, partitions ...int32) Expectation {
	slices.Sort(partitions)
	return Expectation{Code: code, Symbol: symbol, Partitions: partitions}
}

func only(symbols ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(symbols, s) }
}

// home is the partition on which the market's own producers write a symbol.
func home(symbol string) int32 { return partitionOf(engine.HashMurmur2, symbol) }
