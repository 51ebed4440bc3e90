// Package replay audits a capture file as one batch of history: the engine of
// a live audit, fed in the order of the file, with record times for a clock.
// What it reports follows from the file and the options alone, so two runs
// give the same bytes.
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

	Report   func(*engine.Report) error       // takes each report in its order
	Progress func(records int64)              // called now and then; nil: nobody looks
	Note     func(format string, args ...any) // what a person should know about the file
}

// Invalid is an error in what was asked for, as opposed to a failure.
type Invalid struct{ error }

// Unwrap is the error itself.
func (e Invalid) Unwrap() error { return e.error }

func invalidf(format string, args ...any) error { return Invalid{fmt.Errorf(format, args...)} }

// BadRecord ends a run that tolerates no record without a usable tick.
type BadRecord struct {
	Place  engine.Place
	Line   int64
	Kind   engine.Kind
	Reason engine.Reason
}

func (e *BadRecord) Error() string {
	kind := "unreadable"
	if e.Kind == engine.Unusable {
		kind = "unusable"
	}
	return fmt.Sprintf("record %s/%d@%d (line %d) is %s: %s", e.Place.Topic, e.Place.Partition, e.Place.Offset, e.Line, kind, e.Reason)
}
