// Package replay audits history as one batch: the engine of a live audit with
// record times for a clock, fed from a range of topics in Kafka or from a
// capture file. What it reports follows from the records and the options
// alone, so two runs give the same bytes.
//
// Topics are read by partitions, directly: no group is joined, nothing is
// committed, and the rights to describe and to read suffice.
//
// Reading capture files is package capture's, judging is the engine's.
package replay

import (
	"fmt"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// DefaultPartitions is the partition count of a file that shows none.
const DefaultPartitions = 16

// Options say what is audited and how.
type Options struct {
	Topics     []string // configured tick topics; bare ticks are of the first
	Limits     engine.Limits
	Decoder    func() (codecs.TickDecoder, error) // reads values
	Symbols    func() (codecs.TickDecoder, error) // reads exact symbols, which place bare ticks; nil: Decoder does
	Hash       engine.Hash                        // places bare ticks
	Partitions int32                              // 0: what the file shows, else DefaultPartitions
	From, To   Bound                              // [From, To)
	Consumed   map[int32]int64                    // next offsets of a reader, judged against the file's ends
	StopOnBad  bool                               // the first record without a usable tick ends the run

	OnlyPartitions []int32         // empty: all
	OnlySymbols    map[string]bool // as ticks have them; empty: all records
	MaxRate        int64           // bytes a second that are fetched, 0: no limit

	Resume *Resume // where progress is saved, nil: nowhere
	State  *State  // what an earlier run has saved there, nil: nothing

	Report   func(*engine.Report) error       // takes each report in its order
	Progress func(Progress)                   // called now and then; nil: nobody looks
	Note     func(format string, args ...any) // what a person should know about the input
}

// Progress is how far a replay is: offsets of Kafka, records of a file.
type Progress struct {
	Done, Total int64 // Total is 0 when it is not known
}

// filtered says whether only a part of each topic's load is looked at.
func (o *Options) filtered() bool { return len(o.OnlyPartitions) > 0 || len(o.OnlySymbols) > 0 }

// selectsSymbol says whether a record is of a symbol that is looked at.
func (o *Options) selectsSymbol(t *engine.Tick) bool {
	return len(o.OnlySymbols) == 0 || len(t.Symbol) > 0 && o.OnlySymbols[string(t.Symbol)]
}

// Invalid is an error in what was asked for, as opposed to a failure.
type Invalid struct{ error }

// Unwrap is the error itself.
func (e Invalid) Unwrap() error { return e.error }

func invalidf(format string, args ...any) error { return Invalid{fmt.Errorf(format, args...)} }

// BadRecord ends a run that tolerates no record without a usable tick.
type BadRecord struct {
	Place  engine.Place
	Line   int64 // of a file, 0: none
	Kind   engine.Kind
	Reason engine.Reason
}

func (e *BadRecord) Error() string {
	kind := "unreadable"
	if e.Kind == engine.Unusable {
		kind = "unusable"
	}
	line := ""
	if e.Line > 0 {
		line = fmt.Sprintf(" (line %d)", e.Line)
	}
	return fmt.Sprintf("record %s/%d@%d%s is %s: %s", e.Place.Topic, e.Place.Partition, e.Place.Offset, line, kind, e.Reason)
}
