package codecs

import (
	"testing"

	"github.com/auditstream/auditstream/engine"
)

func TestATickTellsOfAHalt(t *testing.T) {
	f := Fields{Symbol: "symbol", Timestamp: "ts", Halt: Halts{"status.code", []string{"H", "2"}}}
	d, err := NewJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	r := NewTickReader(d, "")
	for _, c := range []struct {
		status string
		want   engine.Halt
	}{
		{`"status":{"code":"H"}`, engine.Halted},
		{`"status":{"code":"T"}`, engine.Resumed},
		{`"status":{"code":2}`, engine.Halted},
		{`"status":{"code":null}`, engine.NoHalt},
		{`"status":{"code":""}`, engine.NoHalt},
		{`"status":{}`, engine.NoHalt},
		{`"status":{"code":"HH"}`, engine.Resumed},
		{`"code":"H"`, engine.NoHalt},
	} {
		tick := r.Read(&Record{Value: []byte(`{"symbol":"QXA","ts":1735831800000,` + c.status + `}`)})
		if tick.Kind != engine.Good || tick.Halt != c.want {
			t.Errorf("%s: kind %d, halt %d, want %d", c.status, tick.Kind, tick.Halt, c.want)
		}
	}
	lines, err := NewDecoder("csv", Fields{Symbol: "symbol", Timestamp: "ts", Halt: Halts{"st", []string{"H"}}, CSV: CSVFields{Header: []string{"symbol", "ts", "st"}, Comma: ','}})
	if err != nil {
		t.Fatal(err)
	}
	r = NewTickReader(lines, "")
	for text, want := range map[string]engine.Halt{"QXA,1735831800000,H": engine.Halted, "QXA,1735831800000,": engine.NoHalt, "QXA,1735831800000,T": engine.Resumed} {
		if tick := r.Read(&Record{Value: []byte(text)}); tick.Kind != engine.Good || tick.Halt != want {
			t.Errorf("%s: kind %d, halt %d, want %d", text, tick.Kind, tick.Halt, want)
		}
	}
	m := NewMeaning(f)
	var tick engine.Tick
	m.Fill(&tick, &Scalars{Symbol: Scalar{Form: Text, Text: []byte("A")}, Time: Scalar{Form: Integer, Int: 1735831800000}, Halt: Scalar{Form: Integer, Int: 2}})
	if tick.Kind != engine.Good || tick.Halt != engine.Halted {
		t.Errorf("with a schema: %+v", tick)
	}
}
