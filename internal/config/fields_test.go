package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/auditstream/auditstream/codecs"
)

func TestFields(t *testing.T) {
	_, err := load(t, nil, nil, "topics=t", "value.converter=csv", "value.converter.csv.header=time, symbol", "field.timestamp=time",
		"field.kind=k|1", "field.kind.ticks=T, Q")
	if err == nil || !strings.Contains(err.Error(), `field.kind: "k": there is no such column`) {
		t.Fatalf("a column that the header does not name: %v", err)
	}
	c, err := load(t, nil, nil, "topics=t", "value.converter=csv", "value.converter.csv.header=time, sym ,seq,ex", "value.converter.csv.delimiter=tab",
		"field.symbol=sym", "field.timestamp=time", "field.timestamp.missing=record", "field.timestamp.date=record", "field.sequence=seq",
		"field.venue=ex", "field.kind=ex|3", "field.kind.ticks=T, Q", "max.symbol.silence.ms=5")
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Fields()
	if err != nil {
		t.Fatal(err)
	}
	want := codecs.Fields{
		Symbol: "sym", Timestamp: "time", Sequence: "seq", Venue: "ex", Kind: "ex|3", Ticks: []string{"T", "Q"},
		DateOfRecord: true, TimeOfRecord: true, Content: true, CSV: codecs.CSVFields{Header: []string{"time", "sym", "seq", "ex"}, Comma: '\t'},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(codecs.Fields{}, "Zone")); diff != "" || got.Zone != nil {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFieldsOfFeeds(t *testing.T) {
	c, err := load(t, nil, nil, "topics=t", "value.converter=Binance", "feed.streams=merged")
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := c.Fields(); !c.Feed() || !f.MergedStreams || c.ValueConverter != "binance" {
		t.Errorf("converter %q, %+v", c.ValueConverter, f)
	}
	for _, lines := range [][]string{
		{"field.timestamp="},
		{"field.timestamp=t", "field.sequence=U..u..v"},
		{"field.symbol=a[].s", "field.timestamp=b[].t"},
		{"value.converter=csv", "value.converter.csv.header=symbol,timestamp_ns", "field.venue=x"},
		{"value.converter=avro", "value.converter.avro.schema.file=tick.avsc", "field.symbol=a[].s", "field.timestamp=b[].t"},
		{"value.converter=protobuf", "value.converter.schema.registry.url=http://r", "field.symbol=a[].b[].c[].d[].e[].s"},
	} {
		if _, err := load(t, nil, nil, append(lines, "topics=t")...); err == nil {
			t.Errorf("%v: accepted", lines)
		}
	}
	if c, err = load(t, nil, nil, "topics=t", "field.timestamp=", "field.timestamp.missing=record"); err != nil || c.FieldTimestamp != "" {
		t.Errorf("no path of a time: %v", err)
	}
}
