package codecs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/auditstream/auditstream/engine"
)

// CSVFields says how the columns of CSV are told apart.
type CSVFields struct {
	// Header names the columns, in their order. Without it a path is either a
	// column's number, counted from 0, or a name in the first line of each
	// record.
	Header []string
	Comma  byte // 0: a comma
}

// CSV decodes ticks that are lines of comma-separated values (RFC 4180, as
// encoding/csv reads them): a field in double quotes may hold the delimiter,
// line breaks and quotes, which are doubled.
//
//  1. A record holds one line, or several, each of which is a tick. Blank lines
//     are skipped.
//  2. Where the columns are named by the configuration, a line that spells
//     those names is a header and no tick, and a line of fewer columns is
//     ReasonTruncated, one of more ReasonSyntax. Where they are named by the
//     record, its first line is the header.
//  3. A quote that is not closed is ReasonTruncated, one in a field without
//     quotes, or text behind a closing quote, is ReasonSyntax.
//  4. The symbol is the field's text, the event time a number or a text as in
//     [JSON]; an empty field is a value that is not there.
//
// Decode allocates nothing once its buffers have grown.
type CSV struct {
	values
	f       Fields
	comma   byte
	named   bool // each record names its columns in its first line
	columns csvColumns

	firstLine []byte // that named the columns last

	message []byte
	next    int // where the next line begins
	fields  []csvField
	text    [csvTexts][]byte // of fields that are not spelled as they are meant
}

// csvColumns are indexes of columns; of several the first that is not empty
// counts.
type csvColumns struct {
	symbol, time, venue, kind []int
	first, last, halt         []int
}

// csvField is a field without its quotes. One that is escaped has doubled
// quotes or line breaks of two bytes.
type csvField struct {
	start, end int
	escaped    bool
}

// Buffers for fields that are escaped.
const (
	csvSymbol = iota
	csvTime
	csvVenue
	csvOther
	csvTexts
)

// NewCSV compiles the columns. It fails when there is none of that name, and
// when a field has none.
func NewCSV(f Fields) (*CSV, error) {
	d := &CSV{values: valuesOf(f), f: f, comma: f.CSV.Comma}
	if d.comma == 0 {
		d.comma = ','
	}
	if d.comma == '"' || d.comma == '\r' || d.comma == '\n' || d.comma >= 0x80 {
		return nil, fmt.Errorf("value.converter.csv.delimiter %q cannot stand between fields", d.comma)
	}
	if f.Symbol == "" {
		return nil, errors.New("field.symbol: no column is named")
	}
	if f.Timestamp == "" && !f.TimeOfRecord {
		return nil, errors.New("field.timestamp: no column is named, and the record's time does not stand for it")
	}
	if err := checkPaths(&f); err != nil {
		return nil, err
	}
	if len(f.CSV.Header) > 0 {
		return d, d.find(f.CSV.Header)
	}
	if err := d.find(nil); err != nil {
		d.named = true
	}
	return d, nil
}

// find finds the columns among these names; a number is an index.
func (d *CSV) find(header []string) error {
	d.columns = csvColumns{}
	first, last := sequenceRange(d.f.Sequence)
	for _, c := range []struct {
		key, paths string
		into       *[]int
	}{
		{"field.symbol", d.f.Symbol, &d.columns.symbol}, {"field.timestamp", d.f.Timestamp, &d.columns.time},
		{"field.venue", d.f.Venue, &d.columns.venue}, {"field.halt", d.f.Halt.Path, &d.columns.halt}, {"field.kind", d.f.Kind, &d.columns.kind},
		{"field.sequence", first, &d.columns.first}, {"field.sequence", last, &d.columns.last},
	} {
		for _, name := range alternatives(c.paths) {
			i := slices.Index(header, name)
			if n, err := strconv.ParseUint(name, 10, 15); i < 0 && err == nil {
				i = int(n)
			}
			if i < 0 {
				return fmt.Errorf("%s %q: there is no such column%s", c.key, name, columnsText(header))
			}
			*c.into = append(*c.into, i)
		}
	}
	return nil
}

// columnsText names the columns that there are, for an error.
func columnsText(header []string) string {
	if len(header) == 0 {
		return ""
	}
	const most = 20
	text := "; there are "
	for i, name := range header[:min(len(header), most)] {
		if i > 0 {
			text += ", "
		}
		text += engine.ShowBytes(name)
	}
	if len(header) > most {
		text += fmt.Sprintf(" and %d more", len(header)-most)
	}
	return text
}

// Decode implements [TickDecoder].
func (d *CSV) Decode(value []byte, t *engine.Tick) {
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
	d.message, d.next, d.recordTime = value, len(value), t.RecordTime
	if len(value) == 0 {
		t.Kind = engine.Tombstone
		if value != nil {
			t.Kind, t.Reason = engine.Unreadable, engine.ReasonEmpty
		}
		return
	}
	if value[0] == frameMagic {
		t.Kind, t.Reason = engine.Unreadable, documentReason(value, scanBad)
		t.SchemaID, _, _ = Frame(value)
		return
	}
	if reason := d.check(); reason != engine.ReasonNone {
		t.Kind, t.Reason = engine.Unreadable, reason
		return
	}
	t.Format = engine.PlainCSV
	if d.next = 0; d.named {
		d.header()
	}
	if !d.Next(t) {
		t.Kind = engine.Ignored
	}
}

// check reads all lines for their form.
func (d *CSV) check() engine.Reason {
	columns := len(d.f.CSV.Header)
	for i := 0; i < len(d.message); {
		next, reason := d.line(i)
		if reason != engine.ReasonNone {
			return reason
		}
		i = next
		switch n := len(d.fields); {
		case n == 0 || columns == 0:
		case n < columns:
			return engine.ReasonTruncated
		case n > columns:
			return engine.ReasonSyntax
		}
	}
	return engine.ReasonNone
}

// header takes the columns' names from the record's first line. One that lacks
// a name leaves its field missing.
func (d *CSV) header() {
	start := 0
	for d.next < len(d.message) {
		start = d.next
		d.next, _ = d.line(d.next)
		if len(d.fields) > 0 {
			break
		}
	}
	if line := d.message[start:d.next]; !bytes.Equal(line, d.firstLine) {
		d.firstLine = append(d.firstLine[:0], line...)
		d.findNamed()
	}
}

func (d *CSV) findNamed() {
	names := make([]string, len(d.fields))
	for i := range d.fields {
		names[i] = string(d.field(i, csvOther))
	}
	if d.find(names) != nil {
		d.columns = csvColumns{}
	}
}

// Next implements [ItemDecoder].
func (d *CSV) Next(t *engine.Tick) bool {
	for d.next < len(d.message) {
		d.next, _ = d.line(d.next)
		if len(d.fields) == 0 {
			continue
		}
		t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
		d.fill(t)
		return true
	}
	return false
}

// fill makes a tick of the line that was read last.
func (d *CSV) fill(t *engine.Tick) {
	if d.isHeader() || d.otherKind() {
		t.Kind = engine.Ignored
		return
	}
	symbol, reason := d.symbolField()
	t.Symbol = symbol
	text, there := d.pick(d.columns.time, csvTime)
	var timeReason engine.Reason
	switch {
	case len(text) > 0:
		t.EventTime, t.Unit, timeReason = d.time(text)
	case d.f.TimeOfRecord && t.RecordTime != engine.NoTime:
		t.EventTime, t.Unit = t.RecordTime, engine.UnitRecord
	case there:
		timeReason = engine.ReasonTimeNull
	default:
		timeReason = engine.ReasonTimeMissing
	}
	if d.columns.venue != nil {
		if text, _ := d.pick(d.columns.venue, csvVenue); len(text) > 0 {
			t.Venue = text
		}
	}
	if d.columns.halt != nil {
		text, _ := d.pick(d.columns.halt, csvOther)
		t.Halt = d.f.Halt.of(text)
	}
	if d.columns.last != nil {
		d.sequence(t)
	}
	if d.f.Content {
		t.Content = d.contentOf()
	}
	if reason == engine.ReasonNone {
		reason = timeReason
	}
	if reason != engine.ReasonNone {
		t.Kind, t.Reason = engine.Unusable, reason
	}
}

func (d *CSV) symbolField() ([]byte, engine.Reason) {
	text, there := d.pick(d.columns.symbol, csvSymbol)
	if !there {
		return nil, engine.ReasonSymbolMissing
	}
	d.scratch = d.scratch[:0]
	return d.symbolText(text)
}

func (d *CSV) sequence(t *engine.Tick) {
	text, _ := d.pick(d.columns.last, csvOther)
	if t.Sequence, t.HasSequence = wholeSequence(text); !t.HasSequence {
		return
	}
	t.SequenceFirst = t.Sequence
	text, _ = d.pick(d.columns.first, csvOther)
	if n, ok := wholeSequence(text); ok && n <= t.Sequence {
		t.SequenceFirst = n
	}
}

// pick is the text of the first column that has one; there is false when the
// line has none of them.
func (d *CSV) pick(columns []int, buffer int) (text []byte, there bool) {
	for _, i := range columns {
		if i >= len(d.fields) {
			continue
		}
		there = true
		if text = d.field(i, buffer); len(text) > 0 {
			return text, true
		}
	}
	return nil, there
}

// isHeader says whether the line spells the configured names.
func (d *CSV) isHeader() bool {
	if len(d.f.CSV.Header) == 0 {
		return false
	}
	for i, name := range d.f.CSV.Header {
		if string(d.field(i, csvOther)) != name {
			return false
		}
	}
	return true
}

func (d *CSV) otherKind() bool {
	if d.columns.kind == nil || len(d.f.Ticks) == 0 {
		return false
	}
	text, _ := d.pick(d.columns.kind, csvOther)
	return !slices.ContainsFunc(d.f.Ticks, func(kind string) bool { return kind == string(text) })
}

// contentOf hashes the fields that are not the symbol, the time or a sequence
// number; 0 when there are no others.
func (d *CSV) contentOf() uint64 {
	h, others := hashStart, false
	for i := range d.fields {
		c := &d.columns
		if slices.Contains(c.symbol, i) || slices.Contains(c.time, i) || slices.Contains(c.first, i) || slices.Contains(c.last, i) {
			continue
		}
		h, others = hashBytes(h+uint64(i), d.field(i, csvOther)), true
	}
	if !others {
		return 0
	}
	return hashEnd(h)
}

// field is a field's text, a view on the message or on a buffer.
func (d *CSV) field(i, buffer int) []byte {
	f := d.fields[i]
	raw := d.message[f.start:f.end]
	if !f.escaped {
		return raw
	}
	out := d.text[buffer][:0]
	for len(raw) > 0 {
		k := bytes.IndexAny(raw, "\"\r")
		if k < 0 {
			k = len(raw) - 1
		}
		out = append(out, raw[:k]...)
		switch {
		case raw[k] == '"':
			out, raw = append(out, '"'), raw[k+2:]
			continue
		case raw[k] == '\r' && k+1 < len(raw) && raw[k+1] == '\n':
		default:
			out = append(out, raw[k])
		}
		raw = raw[k+1:]
	}
	d.text[buffer] = out
	return out
}
