package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"
)

// Format is a form in which the market's producers write their messages.
type Format struct {
	Name string // as `demo --format` takes it
	Says string // one clause

	settings []string   // of the audit, beside those of every format
	schema   *sr.Schema // that a registry has under schemaID; nil: the values name none
	// value spells a message whose event time is given as Unix nanoseconds.
	value func(m *Message, event int64) []byte
	cut   func(whole []byte) []byte // the beginning of a value, which no reader takes for a whole one
	venue func(symbol string) string
	// other is how a producer that does not know the format writes, and what
	// comes of it.
	other  func(m *Message, event int64) []byte
	strays func(symbol string) Expectation
}

// Formats are those that the market speaks, the default one first.
func Formats() []*Format {
	return []*Format{&jsonFormat, &binanceFormat, &csvFormat, &avroFormat, &protobufFormat}
}

// FormatNamed is the format of a name; the error names those that there are.
func FormatNamed(name string) (*Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("%q is not %s or %s", name, strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// Value is the message as its producer writes it when the market opened at the
// given Unix time in nanoseconds.
func (f *Format) Value(m *Message, opened int64) []byte {
	event := opened + int64(m.Event)
	if m.Stray {
		return f.other(m, event)
	}
	value := f.value(m, event)
	if m.Cut {
		return f.cut(value)
	}
	return value
}

// half is the first half of a text, which lacks what ends it.
func half(whole []byte) []byte { return whole[:len(whole)/2] }

// butLast lacks the last byte, which a form without an end of its own needs.
func butLast(whole []byte) []byte { return whole[:len(whole)-1] }

// The venues of the market, by their market identifier codes (ISO 10383).
const (
	venueMost  = "XNAS"
	venueOther = "XNYS"
)

// venueOf is where a symbol is traded.
func venueOf(symbol string) string {
	if slices.Contains(symbolsVenue, symbol) {
		return venueOther
	}
	return venueMost
}

// fieldSettings say where the forms that the demo lays out itself have what
// JSON has under these names.
var fieldSettings = []string{"field.sequence=feed_sequence", "field.venue=venue"}
