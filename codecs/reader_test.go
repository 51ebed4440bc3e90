package codecs

import (
	"fmt"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// letters is a decoder of values whose bytes are ticks of their own.
type letters struct{ rest []byte }

func (d *letters) Decode(value []byte, t *engine.Tick) {
	d.rest = value
	if !d.Next(t) {
		t.Kind = engine.Ignored
	}
}

func (d *letters) Next(t *engine.Tick) bool {
	if len(d.rest) == 0 {
		return false
	}
	t.Kind, t.Symbol, d.rest = engine.Good, d.rest[:1], d.rest[1:]
	if t.HasSequence = t.Symbol[0] == 'a'; t.HasSequence {
		t.Sequence = 1
	}
	return true
}

type headerList []Header

func (h headerList) Len() int                        { return len(h) }
func (h headerList) At(i int) (key string, v []byte) { return h[i].Key, h[i].Value }

func TestTickReaderGivesItems(t *testing.T) {
	r := NewTickReader(&letters{}, "who")
	rec := Record{Offset: 5, Time: 7, Key: []byte("k"), Value: []byte("abca"), Headers: headerList{{"who", []byte("p1")}}}
	got := ""
	for tick := r.Read(&rec); tick != nil; tick = r.Next() {
		if tick.Symbol[0] == 'b' {
			r.Skip()
			continue
		}
		if tick.Offset != 5 || tick.RecordTime != 7 || string(tick.Key) != "k" || string(tick.Producer) != "p1" ||
			tick.HasSequence != (tick.Symbol[0] == 'a') || !tick.HasSequence && tick.Sequence != 0 {
			t.Errorf("%+v", tick)
		}
		got += fmt.Sprintf("%s%d", tick.Symbol, tick.Item)
	}
	if got != "a0c1a2" {
		t.Errorf("items %s", got)
	}
	rec.Value, rec.Headers = nil, nil
	if tick := r.Read(&rec); tick.Kind != engine.Ignored || tick.Item != 0 || tick.Producer != nil || r.Next() != nil {
		t.Errorf("an empty value: %+v", tick)
	}
}
