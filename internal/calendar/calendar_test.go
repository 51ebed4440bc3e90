package calendar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func at(t *testing.T, text string) int64 {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v.UnixNano()
}

func loadFile(t *testing.T, content string, others ...string) (*Calendar, error) {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i+1 < len(others); i += 2 {
		if err := os.WriteFile(filepath.Join(folder, others[i]), []byte(others[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "calendar.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func mustLoad(t *testing.T, content string, others ...string) *Calendar {
	t.Helper()
	c, err := loadFile(t, content, others...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpenTime(t *testing.T) {
	nyse, err := Load("XNYS")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		about, from, to string
		open            time.Duration
	}{
		{"a weekend", "2025-01-03T20:59:59Z", "2025-01-06T14:29:00Z", time.Second},
		{"a weekend and two minutes", "2025-01-03T20:59:59Z", "2025-01-06T14:32:00Z", 121 * time.Second},
		{"a holiday", "2025-01-09T00:00:00Z", "2025-01-10T00:00:00Z", 0}, // day of mourning for President Carter
		{"an early close", "2025-11-28T00:00:00Z", "2025-11-29T00:00:00Z", 3*time.Hour + 30*time.Minute},
		{"the day before clocks go forward", "2025-03-07T14:30:00Z", "2025-03-07T21:00:00Z", 6*time.Hour + 30*time.Minute},
		{"the day after", "2025-03-10T13:30:00Z", "2025-03-10T20:00:00Z", 6*time.Hour + 30*time.Minute},
		{"backwards", "2025-03-10T20:00:00Z", "2025-03-10T13:30:00Z", 0},
		{"a day that is not known any more", "2030-05-06T00:00:00Z", "2030-05-07T00:00:00Z", 6*time.Hour + 30*time.Minute},
	} {
		if got := nyse.Hours("ANY").Open(at(t, c.from), at(t, c.to)); got != c.open {
			t.Errorf("%s: %s, want %s", c.about, got, c.open)
		}
	}
	if got := nyse.Through().Format(time.DateOnly); got < "2027-01-01" {
		t.Errorf("known through %s", got)
	}
}

// TestAfterIsTheInverseOfOpen holds both against each other.
func TestAfterIsTheInverseOfOpen(t *testing.T) {
	for _, name := range append(Markets(), AlwaysOpen) {
		c, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		h := c.Hours("QXA")
		for from := at(t, "2025-01-01T00:00:00Z"); from < at(t, "2025-02-01T00:00:00Z"); from += int64(97 * time.Minute) {
			for _, open := range []time.Duration{time.Nanosecond, time.Minute, time.Hour, 30 * time.Hour} {
				at := h.After(from, open)
				if got, before := h.Open(from, at), h.Open(from, at-1); got != open || before != open-1 {
					t.Fatalf("%s: %s after %s is %s, with %s open, and %s a nanosecond before", name, open, time.Unix(0, from).UTC(), time.Unix(0, at).UTC(), got, before)
				}
			}
		}
	}
}

func TestMarketsByPattern(t *testing.T) {
	c := mustLoad(t, `
markets:
  - {name: crypto, symbols: ["*-USD", "BTC/*"], exchange: 24x7}
  - name: night
    symbols: ["N?"]
    zone: Europe/Berlin
    hours: {mon-thu: "22:00-06:00", sat: closed}
    holidays: [2025-01-07]
    special: {2025-01-08: "10:00-11:00, 12:00-13:30"}
  - {name: rest, symbols: ["*"], exchange: XLON, special: {2025-01-06: "08:00-09:00"}}
ended:
  - {symbols: [N9], since: 2025-01-09}
halts:
  - {symbols: ["L*"], from: "2025-01-06T08:30:00Z", to: "2025-01-06T08:40:00Z", reason: news}
  - {symbols: [LX], from: "2025-01-07T08:30:00Z"}
`)
	week := func(symbol string) time.Duration {
		return c.Hours(symbol).Open(at(t, "2025-01-06T00:00:00Z"), at(t, "2025-01-13T00:00:00Z"))
	}
	for symbol, want := range map[string]time.Duration{
		"ETH-USD": 7 * 24 * time.Hour,
		"BTC/EUR": 7 * 24 * time.Hour,
		"N1":      8*time.Hour + 2*time.Hour + 30*time.Minute + 8*time.Hour, // Monday, two sessions, Thursday
		"N9":      8*time.Hour + 2*time.Hour + 30*time.Minute,
		"V":       time.Hour + 4*(8*time.Hour+30*time.Minute),
		"LA":      50*time.Minute + 4*(8*time.Hour+30*time.Minute),
		"LX":      50*time.Minute + 30*time.Minute,
	} {
		if got := week(symbol); got != want {
			t.Errorf("%s: open %s, want %s", symbol, got, want)
		}
	}
	if c.Hours("LA") != c.Hours("LB") {
		t.Error("two symbols of the same hours have two schedules")
	}
}

// TestPublishedSchedule reads sessions as exchange_calendars exports them.
func TestPublishedSchedule(t *testing.T) {
	const sessions = `,open,break_start,break_end,close
2025-01-06,2025-01-06 00:00:00+00:00,2025-01-06 02:30:00+00:00,2025-01-06 03:30:00+00:00,2025-01-06 06:30:00+00:00
2025-01-08,2025-01-08 00:00:00+00:00,,,2025-01-08 02:30:00+00:00
`
	c := mustLoad(t, `
markets:
  - {name: tokyo, symbols: ["*"], exchange: XTKS, schedule: sessions.csv}
`, "sessions.csv", sessions)
	for day, want := range map[string]time.Duration{
		"2025-01-06": 5*time.Hour + 30*time.Minute,
		"2025-01-07": 0, // not in the list
		"2025-01-08": 2*time.Hour + 30*time.Minute,
		"2025-01-09": 5*time.Hour + 30*time.Minute, // behind the list the market's own hours hold
	} {
		from := at(t, day+"T00:00:00Z")
		if got := c.Hours("X").Open(from, from+int64(24*time.Hour)); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
	if got := c.Through().Format(time.DateOnly); got != "2025-01-08" {
		t.Errorf("known through %s", got)
	}
}

func TestFaultsAreTold(t *testing.T) {
	for content, want := range map[string]string{
		"":                    "no markets, ended or halts",
		"markets: [{nam: x}]": "line 1: \"nam\" is not known there; the nearest is name",
		`markets: [{name: x, symbols: ["["], exchange: XNYS}]`:                                                   "[ is no pattern",
		`markets: [{name: x, exchange: XNYS}]`:                                                                   "symbols: none is named",
		`markets: [{name: x, symbols: ["*"]}]`:                                                                   "never open",
		`markets: [{name: x, symbols: ["*"], exchange: XNY}]`:                                                    `"XNY" is not 24x7 nor one of`,
		`markets: [{name: x, symbols: ["*"], zone: Mars/Base, hours: {mon: "1:00-2:00"}}]`:                       "unknown time zone Mars/Base",
		`markets: [{name: x, symbols: ["*"], hours: {mon: "9-16"}}]`:                                             `"9" is not a time of day`,
		`markets: [{name: x, symbols: ["*"], hours: {mo: "09:00-16:00"}}]`:                                       `"mo" is no day of the week`,
		`markets: [{name: x, symbols: ["*"], hours: {mon: "09:00-16:00, 15:00-17:00"}}]`:                         "overlap",
		`markets: [{name: x, symbols: ["*"], hours: {mon: "09:00-25:00"}}]`:                                      `"25:00" is not a time of day`,
		`markets: [{name: x, symbols: ["*"], hours: {mon: "09:00-16:00"}, holidays: ["2025-02-30"]}]`:            `"2025-02-30" is not a date`,
		`markets: [{name: x, symbols: ["*"], hours: {mon: "09:00-16:00"}, schedule: none.csv}]`:                  "none.csv",
		`halts: [{symbols: [A], from: "2025-01-06 15:00"}]`:                                                      "is not a time such as",
		`halts: [{symbols: [A], from: "2025-01-06T15:00:00Z", to: "2025-01-06T14:00:00Z"}]`:                      "to: it is not after from",
		`ended: [{symbols: [A], since: yesterday}]`:                                                              `"yesterday" is not a date`,
		"markets: [{name: a, symbols: []}, {name: b, symbols: [\"*\"], hours: {x: closed}}]\nhalts: [{from: n}]": "market \"b\": hours: \"x\"",
	} {
		_, err := loadFile(t, content)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n  gave %v\n  want %s", content, err, want)
		}
	}
	if _, err := Load("no/such/file"); err == nil || !strings.Contains(err.Error(), "XNYS") {
		t.Errorf("an unknown name: %v", err)
	}
}

// A file with many faults tells all of them, each with its line.
func TestAllFaultsAreToldWithTheirLines(t *testing.T) {
	_, err := loadFile(t, `markets:
  - name: crypto
    symbls: ["*-USD"]
    exchange: 24x7
  - name: power
    symbols: "DE_*"
    zone: Mars/Base
    hours:
      mon-thu: "08:00-25:00"
      fry: "08:00-14:00"
    holidays: [2025-12-25,
      2025-13-26]
    special:
      2025-12-24: "08:00"
    through: soon
ended:
  - symbols: [A]
    since: yesterday
    why: it
halts:
  - symbols: ["["]
    from: 2025-01-06T15:00:00Z
    to: 2025-01-06T14:00:00Z
calendar: x
`)
	if err == nil {
		t.Fatal("no fault")
	}
	_, told, _ := strings.Cut(err.Error(), ": ")
	want := `14 faults
line 2: market "crypto": symbols: none is named; write ["*"] for all
line 3: "symbls" is not known there; the nearest is symbols
line 6: str ` + "`DE_*`" + ` stands where a list of texts belongs
line 7: market "power": zone: unknown time zone Mars/Base
line 9: market "power": hours: "25:00" is not a time of day, HH:MM
line 10: market "power": hours: "fry" is no day of the week; write mon, mon-fri or mon,wed
line 12: market "power": holidays: "2025-13-26" is not a date, YYYY-MM-DD
line 14: market "power": special: "08:00" is not HH:MM-HH:MM, nor several with commas, nor closed
line 15: market "power": through: "soon" is not a date, YYYY-MM-DD
line 18: ended, entry 1: since: "yesterday" is not a date, YYYY-MM-DD
line 19: "why" is not known there, only symbols, since
line 21: halts, entry 1: symbols: [ is no pattern: exact, or with *, ? and [a-z]
line 23: halts, entry 1: to: it is not after from
line 24: "calendar" is not known there, only markets, ended, halts`
	if told != want {
		t.Errorf("told\n%s\nwant\n%s", told, want)
	}
}

func TestScheduleFaultsNameTheLine(t *testing.T) {
	for content, want := range map[string]string{
		"":               "no header",
		"day,from,to\n":  "no columns open and close",
		",open,close\n":  "no session",
		",open,close\nx": "line 2",
		",open,close\n2025-01-06,2025-01-06 09:00,2025-01-06 10:00:00+00:00\n":                        "is not a time with a zone",
		",open,close\n2025-01-06,2025-01-06 11:00:00+00:00,2025-01-06 10:00:00+00:00\n":               "close is not after open",
		",open,close\nMonday,2025-01-06 11:00:00+00:00,2025-01-06 10:00:00+00:00\n":                   "is not a day",
		",open,close,break_start,break_end\n2025-01-06,2025-01-06 11:00:00Z,2025-01-06 12:00:00Z,x,y": `"x" is not a time`,
	} {
		if _, err := parseSchedule(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %s", content, err, want)
		}
	}
}
