package replay

import (
	"fmt"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

const t0 = int64(1735831800_000000000) // 2025-01-02T15:30:00Z

func TestParseBound(t *testing.T) {
	for text, want := range map[string]Bound{
		"":                               {},
		"0":                              {true, true, 0},
		"999999999999":                   {true, true, 999999999999},
		"1735831800000":                  {true, false, t0},
		"1735831800000001":               {true, false, t0 + 1000},
		"1735831800000000001":            {true, false, t0 + 1},
		"2025-01-02T15:30:00Z":           {true, false, t0},
		"2025-01-02T10:30:00.5-05:00":    {true, false, t0 + 5e8},
		"1970-01-01T00:00:00Z":           {true, false, 0},
		"2261-12-31T23:59:59.999999999Z": {true, false, 9214646399999999999},
	} {
		if got, err := ParseBound("--from", text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "-1", "17358318000001", "99999999999999999999", "9999999999999999999", "2025-01-02", "2025-01-02T15:30:00", "2262-01-01T00:00:00Z", "1969-12-31T23:59:59Z", " 5"} {
		if got, err := ParseBound("--from", text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestSelectsHalfOpen(t *testing.T) {
	at := func(ns int64) Bound { return Bound{true, false, ns} }
	offset := func(n int64) Bound { return Bound{true, true, n} }
	for _, tc := range []struct {
		from, to   Bound
		at, offset int64
		want       bool
	}{
		{Bound{}, Bound{}, engine.NoTime, 0, true},
		{at(10), at(20), 9, 0, false},
		{at(10), at(20), 10, 0, true},
		{at(10), at(20), 19, 0, true},
		{at(10), at(20), 20, 0, false},
		{offset(10), offset(20), 99, 9, false},
		{offset(10), offset(20), 99, 10, true},
		{offset(10), offset(20), 99, 20, false},
		{at(10), offset(5), 10, 4, true},
		{at(10), Bound{}, engine.NoTime, 0, false},
		{Bound{}, at(10), engine.NoTime, 0, true},
	} {
		o := Options{From: tc.from, To: tc.to}
		if got := o.selects(tc.at, tc.offset); got != tc.want {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}

func TestParseConsumed(t *testing.T) {
	got, err := ParseConsumed([]byte(` {"0":1200,"3":0} ` + "\n"))
	if err != nil || fmt.Sprint(got) != "map[0:1200 3:0]" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{
		"", "null", "[]", `{"0":-1}`, `{"-1":0}`, `{"01":0}`, `{"+1":0}`, `{"0":null}`, `{"0":"5"}`, `{"0":1.5}`, `{"a":1}`,
		`{"0":1}{}`, `{"4294967296":1}`, `{"0":99999999999999999999}`,
	} {
		if got, err := ParseConsumed([]byte(text)); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
}
