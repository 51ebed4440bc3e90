package codecs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Fields says where a tick has its fields, and how they are read.
//
// Paths are dotted, in exact case. A step that ends in [] goes into every
// element of an array, each of which is a tick of its own; a single object in
// its place is one. [] alone is a message that is an array. A path may be
// several, joined by |: the first one that the message has counts.
type Fields struct {
	Symbol    string
	Timestamp string
	Sequence  string // "": none; first..last is the range that an aggregate takes up
	Venue     string // "": none
	Halt      Halts

	Kind  string   // path of what says which kind of message it is, "": every message is a tick
	Ticks []string // kinds that are ticks, empty: all; messages of other kinds are ignored

	Unit          engine.Unit    // unit of the event time
	Zone          *time.Location // zone of text times that carry none; nil: they are unusable
	DateOfRecord  bool           // event times are times of day, dated by the record's time
	TimeOfRecord  bool           // a message without an event time is judged by the record's
	Normalize     Normalize      // how symbols are spelled before they are compared
	Content       bool           // ask for the hash of what the tick says
	MergedStreams bool           // of a feed: its streams are not told apart

	CSV CSVFields
}

// NewDecoder is a decoder of the named form, a value of the key
// value.converter that needs nothing beside its fields: json, csv or a feed.
func NewDecoder(converter string, f Fields) (TickDecoder, error) {
	switch converter {
	case "json":
		return NewJSON(f)
	case "csv":
		return NewCSV(f)
	}
	if feed := feedNamed(converter); feed != nil {
		return newFeed(feed, f)
	}
	return nil, fmt.Errorf("value.converter: %q is no form that is read without a schema", converter)
}

// Converters are the forms that [NewDecoder] makes.
func Converters() []string { return append([]string{"json", "csv"}, FeedNames()...) }

// alternatives takes a path apart at |.
func alternatives(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, "|")
}

// sequenceRange takes first..last apart; a path without it is both.
func sequenceRange(path string) (first, last string) {
	if before, after, ok := strings.Cut(path, ".."); ok {
		return before, after
	}
	return "", path
}

// checkPaths finds a path that two fields share, or that leads through
// another's field: a value is one thing.
func checkPaths(f *Fields) error {
	first, last := sequenceRange(f.Sequence)
	var taken []string
	for _, field := range []struct{ key, paths string }{
		{"field.halt", f.Halt.Path},
		{"field.symbol", f.Symbol}, {"field.timestamp", f.Timestamp}, {"field.sequence", first}, {"field.sequence", last}, {"field.venue", f.Venue},
	} {
		paths := alternatives(field.paths)
		for _, path := range paths {
			if slices.ContainsFunc(taken, func(other string) bool { return leads(path, other) || leads(other, path) }) {
				return fmt.Errorf("%s %q: the path is also another field's, or leads through it", field.key, path)
			}
		}
		taken = append(taken, paths...)
	}
	return nil
}

// leads says whether a path is another, or leads through it.
func leads(path, other string) bool {
	return path == other || strings.HasPrefix(path, other+".") || strings.HasPrefix(path, other+"[]")
}
