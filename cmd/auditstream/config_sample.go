package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
)

// maxClasses bounds the classes of a sample that are listed.
const maxClasses = 100

// sampleClass is what records of a sample were read as in the same way.
type sampleClass struct {
	name    string
	count   int64
	line    int64  // of the first
	example string // what was read of it
	value   []byte // its first bytes, of one that is no tick
}

// sampleOf tries the configured fields on the records of a file and prints, by
// class, how many there are and what was read of the first. It fails when none
// is a tick.
func (a *app) sampleOf(ctx context.Context, c *config.Config, path string) error {
	values, err := converter.Open(c, a.logger())
	if err != nil {
		return err
	}
	defer values.Close()
	defer context.AfterFunc(ctx, values.Close)()
	decoder, err := values.Decoder()
	if err != nil {
		return err
	}
	in, err := capture.Open(path, a.in)
	if err != nil {
		return asInput(err)
	}
	defer in.Close()
	records, err := in.Records(decoder, capture.Placing{Hash: engine.HashMurmur2, Partitions: 1, Symbols: decoder, Producer: c.FieldProducer})
	if err != nil {
		return err
	}
	defer records.Close()
	classes, ticks, err := classify(records, c.Feed() && c.FeedStreams == "apart" && c.FieldVenue == "")
	if err != nil {
		return values.Explain(err)
	}
	if c.Feed() {
		fmt.Fprintf(a.out, "%s: %s\n", c.ValueConverter, codecs.FeedSays(c.ValueConverter))
	}
	for _, class := range classes {
		fmt.Fprintf(a.out, "%9d  %s\n           line %d: %s\n", class.count, class.name, class.line, class.example)
	}
	lost, first := records.Lost()
	if lost > 0 {
		fmt.Fprintf(a.out, "%9d  no records\n           line %d\n", lost, first)
	}
	switch {
	case len(classes) == 0 && lost == 0:
		return withTry(fmt.Errorf("%s: no records in it", in.Name), "what writes it by itself; kcat in a pipe reads only with -C")
	case ticks == 0:
		return withTry(fmt.Errorf("%s: no record is a tick by value.converter=%s", in.Name, c.ValueConverter),
			cmp.Or(likeCSV(c, classes), "value.converter, field.symbol and field.timestamp by what the lines above lack"))
	}
	return nil
}

// likeCSV is the next step where another converter was given values that look
// like CSV, or CSV lacks a column that is configured: it names those of the
// first line. "" where that is not so.
func likeCSV(c *config.Config, classes []*sampleClass) string {
	fields, err := c.Fields()
	if err != nil {
		return "" // it was refused before
	}
	delimiter := fields.CSV.Comma
	for _, class := range classes {
		first, _, _ := bytes.Cut(class.value, []byte("\n"))
		columns := bytes.Count(first, []byte{delimiter}) + 1
		if columns < 2 || !utf8.Valid(first) || bytes.ContainsAny(first, "{}[]<>") {
			continue
		}
		names := fmt.Sprintf("by number from 0 to %d", columns-1)
		if !bytes.ContainsAny(first[:1], "0123456789-\"") {
			names += ", or by name where the columns are called " + engine.ShowBytes(strings.TrimSpace(string(first)))
		}
		if c.ValueConverter != "csv" {
			return "--set value.converter=csv, as the values look like it, and the columns in field.symbol and field.timestamp: " + names
		}
		return "the columns in field.symbol and field.timestamp: " + names
	}
	return ""
}

// classify reads all records. Classes are in the order of their first record.
func classify(records *capture.Reader, streams bool) (classes []*sampleClass, ticks int64, err error) {
	byName := map[string]*sampleClass{}
	var rec capture.Record
	for {
		err := records.Next(&rec)
		if errors.Is(err, io.EOF) {
			return classes, ticks, nil
		}
		if err != nil {
			return nil, 0, err
		}
		for t := rec.Tick; t != nil; t = records.NextTick() {
			if t.Kind == engine.Good {
				ticks++
			}
			name := className(t, streams)
			class := byName[name]
			if class == nil {
				if len(classes) == maxClasses {
					continue
				}
				class = &sampleClass{name: name, line: rec.Line, example: sampleExample(t)}
				if t.Kind != engine.Good {
					class.value = bytes.Clone(t.Value[:min(len(t.Value), 4096)])
				}
				byName[name] = class
				classes = append(classes, class)
			}
			class.count++
		}
	}
}

// className says what a tick is and what it lacks.
func className(t *engine.Tick, streams bool) string {
	name := ""
	switch t.Kind {
	case engine.Good:
		name = "tick"
		if streams {
			name += " of " + string(t.Venue)
		}
		if name += ", time in " + t.Unit.String(); t.Unit == engine.UnitRecord {
			name = strings.TrimSuffix(name, "time in record") + "no time: its record's is taken"
		}
		if t.HasSequence {
			name += ", with a sequence number"
		}
		if t.Venue != nil && !streams {
			name += ", with a venue"
		}
	case engine.Tombstone:
		return "tombstone"
	case engine.Ignored:
		return "ignored: no tick by its kind"
	case engine.Unreadable:
		return "unreadable: " + t.Reason.String()
	default:
		name = "unusable: " + t.Reason.String()
	}
	if t.Item > 0 {
		name += ", further ones of a record"
	}
	return name
}

// sampleExample is what was read of a tick, and of one that is none its first
// bytes.
func sampleExample(t *engine.Tick) string {
	var parts []string
	if t.Symbol != nil {
		parts = append(parts, "symbol "+engine.ShowBytes(string(t.Symbol)))
	}
	if t.Kind != engine.Good {
		return strings.Join(append(parts, "bytes "+shortened(t.Value)), ", ")
	}
	parts = append(parts, "time "+time.Unix(0, t.EventTime).UTC().Format(time.RFC3339Nano))
	if t.Venue != nil {
		parts = append(parts, "venue "+engine.ShowBytes(string(t.Venue)))
	}
	switch {
	case t.HasSequence && t.SequenceFirst != t.Sequence:
		parts = append(parts, fmt.Sprintf("sequence %d to %d", t.SequenceFirst, t.Sequence))
	case t.HasSequence:
		parts = append(parts, fmt.Sprintf("sequence %d", t.Sequence))
	}
	return strings.Join(parts, ", ")
}

// shortened shows the first bytes of a value.
func shortened(value []byte) string {
	const most = 120
	if len(value) > most {
		return engine.ShowBytes(string(value[:most])) + "..."
	}
	return engine.ShowBytes(string(value))
}
