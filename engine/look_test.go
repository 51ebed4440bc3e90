package engine

import "testing"

func TestLookIsBoundedAndTellsWhatIsOpen(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	for i, symbol := range []string{"QXA", "QXB", "QXA", "QYC", "QXA"} {
		r := at(int64(i), int64(i), symbol)
		if i == 4 {
			r.tick.EventTime -= 60e9
		}
		p.Observe(&r.tick, NoTime)
	}
	var found []SymbolView
	look := func(most int) bool {
		found = nil
		return p.Look(func(name string) bool { return name[1] == 'X' }, most, func(v SymbolView) { found = append(found, v) })
	}
	if more := look(2); more || len(found) != 2 || found[0].Symbol != "QXA" || found[0].Ticks != 3 || found[0].Disorder != 1 || !found[0].Late || found[1].Late {
		t.Errorf("found %+v, more %v", found, more)
	}
	if more := look(1); !more || len(found) != 1 {
		t.Errorf("found %+v, more %v", found, more)
	}
	if busy := p.Busiest(2); len(busy) != 2 || busy[0] != (SymbolLoad{"QXA", 3}) {
		t.Errorf("busiest %v", busy)
	}
}
