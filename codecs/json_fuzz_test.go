package codecs

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/auditstream/auditstream/engine"
)

var fuzzSeeds = []string{
	benchTick, `{"symbol":"QXA","ts":17358`, `{"symbol":"Q\u0041\ud83d\ude00\n","ts":"2025-01-02T15:30:00.5Z","x":[{},[],-0.5e+3,true,null]}`,
	`{"\u0073ymbol":1,"ts":1.7358318e9,"ts":null}`, "\x00\x00\x00\x00\x2a{}", `[1]`, "{\"symbol\":\"\xff\",\"ts\":0}", `{"symbol":{"symbol":"x"},"ts":[]}`,
}

// FuzzJSON holds the decoder against encoding/json: both find the same
// documents well-formed, and read the same fields of those.
func FuzzJSON(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	d, err := NewJSON(Fields{Symbol: "symbol", Timestamp: "ts", Unit: engine.UnitNanos})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		guarded := append(append([]byte(nil), value...), `"}]0`...)[:len(value):len(value)]
		var tick engine.Tick
		d.Decode(guarded, &tick)
		if tick.Reason == engine.ReasonDepth {
			return
		}
		var fields map[string]json.RawMessage
		object := json.Unmarshal(value, &fields) == nil && fields != nil
		if readable := tick.Kind != engine.Unreadable; readable != object {
			t.Fatalf("encoding/json reads %v, the decoder %v (%v)", object, readable, tick.Reason)
		}
		if !object || !utf8.Valid(value) {
			return
		}
		checkSymbol(t, fields["symbol"], &tick)
		checkTime(t, fields["ts"], &tick)
	})
}

func checkSymbol(t *testing.T, raw json.RawMessage, tick *engine.Tick) {
	var text string
	isText := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	switch {
	case isText && text != "" && len(text) <= engine.MaxSymbolBytes:
		if string(tick.Symbol) != text {
			t.Fatalf("symbol %q, encoding/json has %q", tick.Symbol, text)
		}
	case isText || len(raw) == 0 || !isDigit(raw[len(raw)-1]):
		if tick.Symbol != nil {
			t.Fatalf("symbol %q from %s", tick.Symbol, raw)
		}
	}
}

func checkTime(t *testing.T, raw json.RawMessage, tick *engine.Tick) {
	if len(raw) == 0 || raw[0] != '-' && !isDigit(raw[0]) || len(raw) > 60 || exponentTooLarge(raw) {
		return
	}
	exact, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		t.Fatalf("big.Rat does not read %s", raw)
	}
	if tick.EventTime != 0 && new(big.Rat).SetInt64(tick.EventTime).Cmp(exact) != 0 {
		t.Fatalf("time %d from %s", tick.EventTime, raw)
	}
	if exact.IsInt() && exact.Sign() > 0 && exact.Num().IsInt64() && !bytes.ContainsAny(raw, "eE") && tick.EventTime == 0 && tick.Symbol != nil {
		t.Fatalf("%s was refused: %v", raw, tick.Reason)
	}
}

func exponentTooLarge(raw []byte) bool {
	i := bytes.IndexAny(raw, "eE")
	return i >= 0 && len(raw)-i > 5
}

// FuzzWalk holds the walkers against encoding/json.
func FuzzWalk(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var names []string
		reason := WalkObject(b, func(name, value []byte) bool {
			names = append(names, string(name))
			if reason := WalkArray(value, func([]byte) {}); reason == engine.ReasonNone && value[0] != '[' {
				t.Fatalf("%q was walked as an array", value)
			}
			return true
		})
		if reason == engine.ReasonDepth {
			return
		}
		var fields map[string]json.RawMessage
		if object := json.Unmarshal(b, &fields) == nil && fields != nil; object != (reason == engine.ReasonNone) {
			t.Fatalf("encoding/json reads %v, the walk ended with %v", object, reason)
		}
		if reason == engine.ReasonNone && len(names) < len(fields) {
			t.Fatalf("walked %q of %d members", strings.Join(names, ","), len(fields))
		}
	})
}
