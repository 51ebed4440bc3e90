package engine

import (
	"fmt"
	"strings"
)

// Severity says how much a finding matters.
type Severity uint8

// The severities, in rising order.
const (
	Info Severity = iota
	Warning
	Critical
)

var severityNames = [...]string{"INFO", "WARNING", "CRITICAL"}

func (s Severity) String() string { return severityNames[min(s, Critical)] }

// MarshalText is the severity as reports spell it.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity; an unknown one is an error.
func (s *Severity) UnmarshalText(b []byte) error {
	return parseName(b, severityNames[:], "severity", (*uint8)(s))
}

// Code is the number of a kind of finding. Numbers are explicit and never
// used again for something else: alert rules and stored state rely on them.
type Code uint8

// The codes judged today. The gaps belong to codes that later versions judge.
const (
	OffsetInconsistency  Code = 1
	ConsumerLag          Code = 2
	ClockSkew            Code = 3
	StaleTick            Code = 4
	PartitionUnbalanced  Code = 5
	UpstreamDisorder     Code = 6
	Redelivered          Code = 7
	Backfill             Code = 8
	SequenceGap          Code = 9
	SymbolSplit          Code = 10
	PartitionerMixed     Code = 11
	PartitionerMismatch  Code = 12
	PartitionsChanged    Code = 13
	KeyMissing           Code = 14
	KeyEmpty             Code = 15
	KeyMismatch          Code = 16
	UnreadableValue      Code = 17
	FormatMixed          Code = 18
	SchemaUnknown        Code = 19
	TimestampUnitChanged Code = 20
	TimestampUnusable    Code = 21
	RebalanceStorm       Code = 22
	RecordsLost          Code = 23
	TopicSettingsOdd     Code = 24
	AuditorBehind        Code = 25
	AuditorClock         Code = 26
)

// CodeInfo is a row of the table of findings.
type CodeInfo struct {
	Code     Code
	Name     string   // the same word in reports, metrics, documents and tests
	Severity Severity // default severity
	Subject  string   // what one finding is about: topic, partition, symbol or group
	Meaning  string   // what it means, one sentence
	Judged   string   // how it is judged, with the keys that set the limits
	Action   string   // what to do next
}

// Codes returns the table of findings in the order of their numbers.
func Codes() []CodeInfo { return append([]CodeInfo(nil), codeTable...) }

// Lookup finds a code's row by its name, in any case.
func Lookup(name string) (CodeInfo, bool) {
	for _, r := range codeTable {
		if strings.EqualFold(r.Name, name) {
			return r, true
		}
	}
	return CodeInfo{}, false
}

// codeRows is codeTable by number.
var codeRows = func() (rows [256]*CodeInfo) {
	for i := range codeTable {
		rows[codeTable[i].Code] = &codeTable[i]
	}
	return rows
}()

// Info is the code's row of the table; the zero row for an unknown code.
func (c Code) Info() CodeInfo {
	if r := codeRows[c]; r != nil {
		return *r
	}
	return CodeInfo{Code: c}
}

// String is the code's name.
func (c Code) String() string {
	if r := codeRows[c]; r != nil {
		return r.Name
	}
	return fmt.Sprintf("CODE_%d", uint8(c))
}

// MarshalText is the code's name.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a code's name; an unknown one is an error.
func (c *Code) UnmarshalText(b []byte) error {
	r, ok := Lookup(string(b))
	if !ok {
		return fmt.Errorf("unknown finding code %q", b)
	}
	*c = r.Code
	return nil
}

// parseName sets v to the index of b in names.
func parseName(b []byte, names []string, what string, v *uint8) error {
	for i, n := range names {
		if n == string(b) {
			*v = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("unknown %s %q", what, b)
}
