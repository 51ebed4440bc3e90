package protobuf

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// FuzzRead holds the plan against Protobuf's own library: what that reads, the
// plan reads with the same fields, and the plan never panics.
func FuzzRead(f *testing.F) {
	paths := codecs.Fields{Symbol: "inner.code", Timestamp: "ts", Venue: "symbol", Sequence: "big"}
	p := plan(f, paths)
	batch := files(f).Messages().ByName("Batch")
	several := plan(f, codecs.Fields{Symbol: "events[].ticks[].s", Timestamp: "at", Content: true})
	d := files(f).Messages().ByName("Trade")
	for _, json := range []string{
		`{"symbol":"QXA","ts":"1735831800123456789","price":1.5,"tags":["a"],"more":{"x":1},"inner":{"code":"QXB","again":{"code":"no"}},"big":"7"}`, `{}`,
		`{"at":"2025-01-02T15:30:00.5Z","inner":{},"side":"BUY","flag":true}`,
	} {
		b := encoded(f, "Trade", json)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add([]byte{0x2a, 0x02, 0x0a, 0x05})
	f.Add([]byte{0x0b, 0x0b, 0x0c, 0x0c})
	f.Add(encoded(f, "Batch", `{"events":[{"ts":"5","ticks":[{"s":"A","n":1},{"s":"B"}]},{},{"ticks":[{}]}],"at":"7"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s codecs.Scalars
		p.Read(b, &s) // as a record with indexes
		severally(t, batch, several, framed(b, batchIndex))
		reason := p.Read(framed(b, 1), &s)
		m := dynamicpb.NewMessage(d)
		if proto.Unmarshal(b, m) != nil {
			return
		}
		if reason != engine.ReasonNone {
			t.Fatalf("the library reads %v, the plan says %s", m, reason)
		}
		fields := d.Fields()
		if got := m.Get(fields.ByName("ts")).Int(); s.Time.Int != got {
			t.Fatalf("ts is %d, and %d by the plan", got, s.Time.Int)
		}
		if got := m.Get(fields.ByName("symbol")).String(); string(s.Venue.Text) != got {
			t.Fatalf("symbol is %q, and %q by the plan", got, s.Venue.Text)
		}
		if inner := fields.ByName("inner"); m.Has(inner) {
			got := m.Get(inner).Message().Get(inner.Message().Fields().ByName("code")).String()
			if string(s.Symbol.Text) != got {
				t.Fatalf("inner.code is %q, and %q by the plan", got, s.Symbol.Text)
			}
		}
	})
}

// severally holds the number of ticks in a record against the library's.
func severally(t *testing.T, d protoreflect.MessageDescriptor, p *Plan, b []byte) {
	var s codecs.Scalars
	reason := p.Read(b, &s)
	m := dynamicpb.NewMessage(d)
	if proto.Unmarshal(b[2:], m) != nil {
		return
	}
	if reason != engine.ReasonNone {
		t.Fatalf("the library reads %v, the plan says %s", m, reason)
	}
	want := 0
	events := m.Get(m.Descriptor().Fields().ByName("events")).List()
	for i := range events.Len() {
		e := events.Get(i).Message()
		want += e.Get(e.Descriptor().Fields().ByName("ticks")).List().Len()
	}
	ticks := 0
	for ; p.Next(&s); ticks++ {
	}
	if ticks != want {
		t.Fatalf("the library reads %v, the plan %d ticks", m, ticks)
	}
}
