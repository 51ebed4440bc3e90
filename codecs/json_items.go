package codecs

import (
	"bytes"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// clear forgets what was found in the level's last element.
func (d *JSON) clear(l *jsonLevel) {
	for _, slot := range l.slots {
		d.found[slot%maxSlots] = span{}
	}
	for _, inner := range l.inner {
		d.levels[inner].array = span{}
	}
}

// first reads the first tick of the message whose outermost level is read.
func (d *JSON) first(t *engine.Tick) {
	if d.plain {
		d.fields(&d.maps[0], t)
		return
	}
	if !d.choose() {
		t.Kind = engine.Ignored
		return
	}
	if len(d.chain) == 0 {
		d.fill(t)
		return
	}
	d.levels[d.chain[0]].open()
	if !d.Next(t) {
		t.Kind = engine.Ignored
	}
}

// choose finds the first kind of message that this one may be, by what stands
// outside of its arrays, and so the arrays that hold its ticks.
func (d *JSON) choose() bool {
	for i := range d.maps {
		m := &d.maps[i]
		if len(m.chain) > 0 && d.levels[m.chain[0]].array == (span{}) && len(d.maps) > 1 {
			continue
		}
		if d.holds(m, 0) {
			d.chain = m.chain
			return true
		}
	}
	return false
}

// Next implements [ItemDecoder].
func (d *JSON) Next(t *engine.Tick) bool {
	if len(d.chain) == 0 || !d.advance(len(d.chain)-1) {
		return false
	}
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
	d.fill(t)
	return true
}

// open goes to the beginning of the array.
func (l *jsonLevel) open() { l.at = l.array.start }

// advance reads the next element of the k-th level of the chain, of the next
// array when this one is over.
func (d *JSON) advance(k int) bool {
	l := d.levels[d.chain[k]]
	for {
		if l.at < l.array.end {
			if d.element(l) {
				if k+1 < len(d.chain) {
					d.levels[d.chain[k+1]].open()
				}
				return true
			}
			continue
		}
		if k == 0 || !d.advance(k-1) {
			return false
		}
	}
}

// element reads the element at which the level stands, or the brackets around
// elements, and then is false. All of it is known to be well-formed.
func (d *JSON) element(l *jsonLevel) bool {
	b, i := d.message[:l.array.end], l.at
	if i == l.array.start {
		if b[i] == '[' {
			if i = skipSpace(b, i+1); b[i] == ']' {
				l.at = l.array.end
				return false
			}
		} else if b[i] != '{' {
			l.at = l.array.end
			return false
		}
	}
	d.clear(l)
	var end int
	if b[i] == '{' {
		end = d.object(b, i+1, 1, &l.root, l)
	} else {
		end = skipValue(b, i, 1)
	}
	d.item = span{i, end}
	if l.at = l.array.end; end < l.array.end {
		if next, more := nextItem(b, end, ']'); more {
			l.at = next
		}
	}
	return true
}

// holds says whether the message is of that kind, as far as the conditions of
// level 0 tell, or of all levels of its chain.
func (d *JSON) holds(m *jsonMap, levels int) bool {
	for i := range m.when {
		c := &m.when[i]
		if levels == 0 && c.level != 0 {
			continue
		}
		if !c.holds(d.text(d.found[c.slot%maxSlots])) {
			return false
		}
	}
	return true
}

// text is a value without the quotes of a string.
func (d *JSON) text(s span) []byte {
	raw := d.message[s.start:s.end]
	if len(raw) > 1 && raw[0] == '"' {
		raw = raw[1 : len(raw)-1]
	}
	return raw
}

func (c *jsonCondition) holds(value []byte) bool {
	switch {
	case c.absent:
		return len(value) == 0
	case len(value) == 0:
		return false
	case len(c.values) == 0:
		return true
	case c.begins:
		return slices.ContainsFunc(c.values, func(v string) bool { return len(value) >= len(v) && string(value[:len(v)]) == v })
	}
	return slices.ContainsFunc(c.values, func(v string) bool { return string(value) == v })
}

// fill makes the tick of what was found.
func (d *JSON) fill(t *engine.Tick) {
	for i := range d.maps {
		m := &d.maps[i]
		if len(m.when) > 0 && !d.holds(m, 1) || len(d.maps) > 1 && !bytes.Equal(m.chain, d.chain) {
			continue
		}
		d.fields(m, t)
		return
	}
	t.Kind = engine.Ignored
}

// fields sets the tick's fields.
func (d *JSON) fields(m *jsonMap, t *engine.Tick) {
	symbol, reason := d.symbol(d.pick(m.symbol))
	t.Symbol = symbol
	var timeReason engine.Reason
	raw := d.pick(m.time)
	if m.record && (len(raw) == 0 || raw[0] == 'n') && t.RecordTime != engine.NoTime {
		t.EventTime, t.Unit = t.RecordTime, engine.UnitRecord
	} else {
		t.EventTime, t.Unit, timeReason = d.eventTime(raw)
	}
	if m.more {
		d.fillMore(m, t)
	}
	if reason == engine.ReasonNone {
		reason = timeReason
	}
	if reason != engine.ReasonNone {
		t.Kind, t.Reason = engine.Unusable, reason
	}
}

// pick is the value in the first of the slots that has one.
func (d *JSON) pick(slots []uint8) []byte {
	if len(slots) == 1 {
		s := &d.found[slots[0]%maxSlots]
		return d.message[s.start:s.end]
	}
	return d.pickAny(slots)
}

func (d *JSON) pickAny(slots []uint8) (raw []byte) {
	for _, slot := range slots {
		s := &d.found[slot%maxSlots]
		if raw = d.message[s.start:s.end]; len(raw) > 0 && raw[0] != 'n' {
			return raw
		}
	}
	return raw
}

// fillMore reads what few topics have.
func (d *JSON) fillMore(m *jsonMap, t *engine.Tick) {
	if raw := d.pick(m.venue); len(raw) > 0 && raw[0] != 'n' {
		t.Venue = d.venue(raw)
	} else if m.stream != "" && len(m.venue) == 0 {
		t.Venue = d.streamName(m.stream)
	}
	if t.Sequence, t.HasSequence = d.number(m.last); t.HasSequence {
		t.SequenceFirst = t.Sequence
		if n, ok := d.number(m.previous); ok && n < t.Sequence {
			t.SequenceFirst = n + 1
		} else if n, ok := d.number(m.first); ok && n <= t.Sequence {
			t.SequenceFirst = n
		}
	}
	if len(m.halt) > 0 {
		t.Halt = d.halts.of(haltText(d.pick(m.halt)))
	}
	if d.content {
		t.Content = d.contentOf(m)
	}
}

// number is the whole number of a slot, as a number or a text.
func (d *JSON) number(slot uint8) (int64, bool) {
	if slot == 0 {
		return 0, false
	}
	return wholeSequence(d.text(d.found[slot%maxSlots]))
}

// venue is the text of the venue, a view on the value or on a buffer.
func (d *JSON) venue(raw []byte) []byte {
	if raw[0] != '"' {
		return raw
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	d.venueText = appendUnescaped(d.venueText[:0], raw)
	return d.venueText
}

// streamName is a stream's name as bytes that live as long as the tick.
func (d *JSON) streamName(name string) []byte {
	d.venueText = append(d.venueText[:0], name...)
	return d.venueText
}
