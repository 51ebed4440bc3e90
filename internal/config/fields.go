package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Fields says where and how the fields of a tick are read.
func (c *Config) Fields() (codecs.Fields, error) {
	unit, ok := engine.ParseUnit(c.FieldTimestampUnit)
	if !ok {
		return codecs.Fields{}, fmt.Errorf("field.timestamp.unit: unknown unit %q", c.FieldTimestampUnit)
	}
	normalize, err := codecs.ParseNormalize(c.SymbolNormalize)
	if err != nil {
		return codecs.Fields{}, err
	}
	f := codecs.Fields{
		Symbol: c.FieldSymbol, Timestamp: c.FieldTimestamp, Sequence: c.FieldSequence, Venue: c.FieldVenue,
		Halt: codecs.Halts{Path: c.FieldHalt, Values: c.HaltValues},
		Kind: c.FieldKind, Ticks: c.FieldKindTicks,
		Unit: unit, Zone: c.FieldTimestampZone, Normalize: normalize,
		DateOfRecord: c.TimestampDate == "record", TimeOfRecord: c.TimestampMissing == "record",
		Content: c.MaxSymbolSilence > 0 || c.AutoSilence || c.FieldSequence != "", MergedStreams: c.FeedStreams == "merged",
		CSV: codecs.CSVFields{Header: c.CSVHeader, Comma: ','},
	}
	switch c.CSVDelimiter {
	case "":
	case "tab":
		f.CSV.Comma = '\t'
	default:
		f.CSV.Comma = c.CSVDelimiter[0]
	}
	return f, nil
}

// Feed says whether the values are those of a feed that is known by name.
func (c *Config) Feed() bool { return slices.Contains(codecs.FeedNames(), c.ValueConverter) }

// ByVenue says whether ticks have a venue, or a stream of a feed, by which
// order is judged beside the symbol.
func (c *Config) ByVenue() bool { return c.FieldVenue != "" || c.Feed() && c.FeedStreams == "apart" }

// Sequenced says whether ticks have sequence numbers.
func (c *Config) Sequenced() bool { return c.FieldSequence != "" || c.Feed() }

// orderFaults finds keys about order that have no effect by themselves.
func (c *Config) orderFaults() []Fault {
	var faults []Fault
	without := func(key, text string) {
		faults = append(faults, Fault{Key: key, Text: "has no effect without " + text})
	}
	if len(c.SequenceFilteredVenues) > 0 && !c.Sequenced() {
		without("sequence.filtered.venues", "field.sequence")
	}
	if len(c.LateReportVenues) > 0 && !c.ByVenue() {
		without("late.report.venues", "field.venue")
	}
	if len(c.LateReportVenues) > 0 && c.LateReportTolerance == 0 {
		without("late.report.venues", "late.report.tolerance.ms")
	}
	return faults
}

// fieldFaults finds field keys that contradict each other or the converter.
func (c *Config) fieldFaults(faulty map[string]bool) []Fault {
	for _, key := range []string{"", "value.converter", "field.symbol", "field.timestamp", "field.timestamp.unit", "symbol.normalize",
		"field.sequence", "field.venue", "field.kind", "value.converter.csv.header", "value.converter.csv.delimiter"} {
		if faulty[key] {
			return nil
		}
	}
	var faults []Fault
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	if c.Feed() {
		for _, key := range []string{"field.symbol", "field.timestamp"} {
			if c.given[key].value != "" {
				fault(key, "value.converter="+c.ValueConverter+" knows it; leave it out, or read the messages with value.converter=json")
			}
		}
	} else {
		if c.FieldSymbol == "" {
			fault("field.symbol", "cannot be empty")
		}
		if c.FieldTimestamp == "" && c.TimestampMissing != "record" {
			fault("field.timestamp", "cannot be empty, unless field.timestamp.missing=record judges ticks by their records' times")
		}
	}
	if (c.FieldHalt == "") != (len(c.HaltValues) == 0) {
		fault("halt.values", "goes with field.halt: give both or none")
	}
	if c.FieldKind == "" && len(c.FieldKindTicks) > 0 {
		fault("field.kind.ticks", "has no effect without field.kind")
	}
	faults = append(faults, c.orderFaults()...)
	if len(faults) > 0 {
		return faults
	}
	fields, err := c.Fields()
	if err == nil {
		converter := c.ValueConverter
		if slices.Contains(codecs.Converters(), converter) {
			_, err = codecs.NewDecoder(converter, fields)
		} else {
			_, err = codecs.NewBare(codecs.BareSchemas{}, fields) // by whatever schema
		}
	}
	if err != nil {
		// Errors of fields begin with their key.
		key, text, _ := strings.Cut(err.Error(), " ")
		if key = strings.TrimSuffix(key, ":"); !strings.HasPrefix(key, "field.") {
			key, text = "field.symbol", err.Error()
		}
		fault(key, text)
	}
	return faults
}
