package engine

import "math"

// NoTime stands for a time that is not known, such as the record time of a
// record whose producer has set none.
const NoTime = math.MinInt64

// Kind says what a record turned out to be when it was decoded.
type Kind uint8

// The kinds of a record, or of each item of a record that holds several. Every
// one has exactly one.
const (
	Good       Kind = iota // decoded, with a usable symbol and time
	Tombstone              // the value is null
	Unreadable             // the value cannot be decoded
	Unusable               // decoded, but without a usable symbol or time
	Ignored                // decoded, and known to be no tick: a heartbeat or an answer of the feed
)

// Reason is the class of fault that makes a record unreadable or unusable.
type Reason uint8

// The reasons. The first group makes a record Unreadable, the others Unusable.
const (
	ReasonNone           Reason = iota
	ReasonEmpty                 // the value has no bytes
	ReasonSyntax                // the bytes are not the configured format
	ReasonTruncated             // the value ends in the middle
	ReasonNotObject             // JSON, but no object
	ReasonFramed                // starts with a schema registry's frame
	ReasonDepth                 // nested deeper than the codec follows
	ReasonUnframed              // names no schema, and the configuration gives none for such values
	ReasonSchemaUnknown         // the schema registry has no schema of that id
	ReasonSchemaChanged         // the schema registry has given the id to another schema
	ReasonSchemaInvalid         // the schema itself cannot be used
	ReasonSchemaAway            // the schema registry was given up; the run ends
	ReasonMessageUnknown        // the schema has no message of that index
	ReasonSymbolMissing         // no symbol field
	ReasonSymbolNull            // the symbol is null
	ReasonSymbolEmpty           // the symbol has no bytes
	ReasonSymbolType            // the symbol is no string or integer
	ReasonSymbolLong            // the symbol is longer than MaxSymbolBytes
	ReasonTimeMissing           // no time field
	ReasonTimeNull              // the time is null
	ReasonTimeZero              // the time is 0
	ReasonTimeNegative          // the time is before the epoch
	ReasonTimeSyntax            // the time is neither a number nor a known text form
	ReasonTimeRange             // the time does not fit into 64-bit nanoseconds, or auto knows no unit of so many digits
	ReasonTimePrecision         // the time's digits cannot be held exactly
	ReasonTimeZone              // the time carries no zone and none is configured
	ReasonTimeUnset             // the greatest time there is, or year 1 or 9999: what stands for none
	ReasonTimeSkipped           // no clock of the configured zone has shown this time
	ReasonTimeDate              // a time of day, and the record has no time to date it
	reasonCount
)

var reasonNames = [reasonCount]string{
	ReasonNone: "", ReasonEmpty: "empty_value", ReasonSyntax: "syntax", ReasonTruncated: "truncated",
	ReasonNotObject: "not_an_object", ReasonFramed: "schema_frame", ReasonDepth: "too_deep",
	ReasonUnframed: "no_schema_frame", ReasonSchemaUnknown: "schema_unknown", ReasonSchemaChanged: "schema_changed",
	ReasonSchemaInvalid: "schema_invalid", ReasonSchemaAway: "schema_registry_away", ReasonMessageUnknown: "message_unknown",
	ReasonSymbolMissing: "symbol_missing", ReasonSymbolNull: "symbol_null", ReasonSymbolEmpty: "symbol_empty",
	ReasonSymbolType: "symbol_not_text", ReasonSymbolLong: "symbol_too_long",
	ReasonTimeMissing: "time_missing", ReasonTimeNull: "time_null", ReasonTimeZero: "time_zero",
	ReasonTimeNegative: "time_negative", ReasonTimeSyntax: "time_syntax", ReasonTimeRange: "time_out_of_range",
	ReasonTimePrecision: "time_precision_lost", ReasonTimeZone: "time_without_zone",
	ReasonTimeUnset: "time_unset", ReasonTimeSkipped: "time_skipped_by_zone", ReasonTimeDate: "time_without_date",
}

// String is the reason's name as reports spell it, such as "time_missing".
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// AboutTime reports whether the reason is about the record's event time.
func (r Reason) AboutTime() bool { return r >= ReasonTimeMissing && r < reasonCount }

// MaxSymbolBytes bounds the length of a symbol; a longer one is Unusable.
const MaxSymbolBytes = 1024

// Place names a record by topic, partition and offset.
type Place struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// Tick is one record as the engine sees it, or one item of a record whose
// value holds several. All slices are views, valid only during the call that
// takes the Tick.
type Tick struct {
	Offset     int64
	RecordTime int64  // Kafka's timestamp of the record, or NoTime
	EventTime  int64  // time in the value, or as Unit says; meaningless unless Kind is Good
	Symbol     []byte // exact bytes of the symbol in the value
	Key        []byte // nil is a null key, which is not an empty one
	Value      []byte // nil is a tombstone
	Kind       Kind
	Reason     Reason
	Unit       Unit // unit in which the value spelled the event time
	// HasSequence says that Sequence and SequenceFirst are set: the field is
	// configured and the value has a whole number there.
	HasSequence bool
	// Item counts from 0 the ticks of one record. They have the record's
	// Offset, RecordTime, Key, Value and headers, and are observed in order, one
	// right after the other.
	Item     int32
	Halt     Halt   // what the value says of a trading halt
	Producer []byte // who wrote it, by a header; nil: not known
	Origin   *Place // first place of a redelivered record, when its headers name one
	Venue    []byte // exact bytes of the venue in the value; nil: none is configured, or it has none
	// SequenceFirst to Sequence are the numbers that the tick takes up, both
	// included: one number for a trade, a range for an aggregate of several.
	Sequence      int64
	SequenceFirst int64
	// Content is a hash of all fields but the symbol, the times and the
	// sequence, so that equal ones say that nothing changed; 0: the decoder was not asked
	// for it.
	Content uint64
	// Format is what the value was recognised as, whether or not it could be
	// read. SchemaID is the registry's id in its frame, or 0.
	Format   Format
	SchemaID int32
}

// Unit is the unit of a time as it stands in a value.
type Unit uint8

// The units of field.timestamp.unit.
const (
	UnitAuto Unit = iota
	UnitNanos
	UnitMicros
	UnitMillis
	UnitSeconds
	UnitISO
	// UnitRecord is not the spelling of a time: the value has none, and the
	// record's time stands for it. It is no change of the feed's unit.
	UnitRecord
)

var unitNames = [...]string{"auto", "ns", "us", "ms", "s", "iso", "record"}

// String is the unit's name in the configuration.
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "unknown"
}

// ParseUnit reads the name of a unit that a value may have; ok is false for
// another.
func ParseUnit(s string) (u Unit, ok bool) {
	for i, n := range unitNames {
		if n == s && Unit(i) != UnitRecord {
			return Unit(i), true
		}
	}
	return UnitAuto, false
}
