package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

// Time is a time in reports: RFC 3339 with nanoseconds, UTC; null for NoTime.
type Time int64

// MarshalJSON writes the time as a string, or null for NoTime.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == NoTime {
		return []byte("null"), nil
	}
	b := make([]byte, 0, 40)
	b = append(b, '"')
	b = time.Unix(0, int64(t)).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = NoTime
		return nil
	}
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("time %s: %w", b, err)
	}
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	*t = Time(v.UnixNano())
	return nil
}

// State is where a finding stands in its life.
type State uint8

// The states of a finding.
const (
	Opened State = iota
	Updated
	Resolved
)

var stateNames = [...]string{"OPENED", "UPDATED", "RESOLVED"}

func (s State) String() string { return stateNames[min(s, Resolved)] }

// MarshalText is the state as reports spell it.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a state; an unknown one is an error.
func (s *State) UnmarshalText(b []byte) error {
	return parseName(b, stateNames[:], "state", (*uint8)(s))
}

// Finding is one episode of one fault, as a report carries it.
type Finding struct {
	ID        string   `json:"finding_id"`
	Code      Code     `json:"code"`
	State     State    `json:"state"`
	Severity  Severity `json:"severity"`
	Topic     string   `json:"topic"`
	Partition *int32   `json:"partition,omitempty"`
	Symbol    string   `json:"symbol,omitempty"` // bytes that are no text are escaped as \xNN
	Group     string   `json:"group,omitempty"`

	FirstOffset int64 `json:"first_offset"` // -1: no record stands for it
	LastOffset  int64 `json:"last_offset"`
	FirstTime   Time  `json:"first_time"` // record time (judging clock where no record stands for it)
	LastTime    Time  `json:"last_time"`
	Count       int64 `json:"count"` // faults in the episode; only grows

	Observed  float64 `json:"observed"` // the worst seen, in Unit
	Threshold float64 `json:"threshold"`
	Unit      string  `json:"unit"`

	Cause    string         `json:"cause"`
	Action   string         `json:"action"`
	Evidence map[string]any `json:"evidence"`
}

// copied is the finding with evidence of its own, for a report that is
// written later than the finding changes.
func (f *Finding) copied() Finding {
	g := *f
	g.Evidence = maps.Clone(f.Evidence)
	return g
}

// findingID hashes topic, code, subject and the offset that opened the
// finding; -1 stands for "no offset", for findings across partitions.
func findingID(topic string, code Code, subject string, offset int64) string {
	return stableID("finding", topic, code.String(), subject, strconv.FormatInt(offset, 10))
}

// stableID is a 128-bit hash of its parts, in hex.
func stableID(parts ...string) string {
	b := make([]byte, 0, 128)
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}

// ShowBytes makes bytes safe to read: text stays, control characters, those
// that turn the direction of writing, backslashes and bytes that are no UTF-8
// are escaped as \xNN.
func ShowBytes(b string) string {
	clean := true
	for i := 0; i < len(b) && clean; i++ {
		clean = b[i] >= 0x20 && b[i] < 0x7f && b[i] != '\\'
	}
	if clean {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRuneInString(b[i:])
		if r == utf8.RuneError && n <= 1 || r < 0x20 || 0x7f <= r && r < 0xa0 || r == '\\' || unicode.Is(unicode.Bidi_Control, r) {
			out = fmt.Appendf(out, `\x%02x`, b[i])
			i++
			continue
		}
		out = append(out, b[i:i+n]...)
		i += n
	}
	return string(out)
}

// millis is a duration in nanoseconds as milliseconds, for numbers in findings.
func millis(ns int64) float64 { return float64(ns) / 1e6 }

// showDuration is a duration as a sentence has it.
func showDuration(ns int64) string { return time.Duration(ns).String() }

// text is the time as reports have it, without quotes.
func (t Time) text() string {
	b, _ := t.MarshalJSON()
	return string(b)
}

// Plural is a count of things as a sentence has it: "1 tick", "3 ticks".
func Plural(n int64, thing string) string { return plural(n, thing) }

func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.FormatInt(n, 10) + " " + thing + "s"
}
