package codecs

import (
	"fmt"
	"slices"
	"strings"
)

// jsonNode is a step of the field paths: a member's name, what is noted where
// it stands, and the steps below it.
type jsonNode struct {
	name  string
	slot  uint8 // where its value's span is noted, 0: nowhere
	array uint8 // level of its elements, 0: none
	kids  []jsonNode
}

// kid returns the step of that name, nil when there is none.
func (n *jsonNode) kid(name []byte) *jsonNode {
	for i := range n.kids {
		if k := &n.kids[i]; len(k.name) == len(name) && k.name == string(name) {
			return k
		}
	}
	return nil
}

// jsonLevel is the message, level 0, or the elements of an array that paths
// lead into. The spans of its slots are those of the element read last.
type jsonLevel struct {
	root   jsonNode
	parent uint8
	slots  []uint8
	inner  []uint8 // levels of the arrays within an element
	shape  jsonShape
	array  span // the array of the parent's element, empty: there is none
	at     int  // where the next element is looked for
}

const (
	maxSlots  = 64
	maxLevels = 16
)

// slotOf is the slot of a path, made when it is new, and the levels that the
// path leads through. key names the configuration for errors.
func (d *JSON) slotOf(key, path string) (slot uint8, chain []uint8, err error) {
	level, steps := uint8(0), strings.Split(path, ".")
	n := &d.levels[0].root
	for i, step := range steps {
		name, array := strings.CutSuffix(step, "[]")
		switch {
		case strings.ContainsAny(name, "[]"):
			return 0, nil, fmt.Errorf("%s %q: brackets stand at the end of a step and are empty", key, path)
		case array && i == len(steps)-1:
			return 0, nil, fmt.Errorf("%s %q: the path ends in an array, not in a value", key, path)
		case name == "" && (!array || i > 0):
			return 0, nil, fmt.Errorf("%s %q: a step of the path is empty", key, path)
		case name != "":
			if n = n.step(name); n == nil {
				return 0, nil, fmt.Errorf("%s %q: a step of the path is empty", key, path)
			}
		}
		if !array {
			continue
		}
		if n.array == 0 {
			if len(d.levels) == maxLevels {
				return 0, nil, fmt.Errorf("%s %q: paths lead into more than %d arrays", key, path, maxLevels-1)
			}
			n.array = uint8(len(d.levels))
			d.levels = append(d.levels, &jsonLevel{parent: level})
			d.levels[level].inner = append(d.levels[level].inner, n.array)
		}
		level = n.array
		chain = append(chain, level)
		n = &d.levels[level].root
	}
	if n.slot == 0 {
		if d.slots++; d.slots >= maxSlots {
			return 0, nil, fmt.Errorf("%s %q: paths of more than %d fields", key, path, maxSlots-1)
		}
		n.slot = d.slots
		d.levels[level].slots = append(d.levels[level].slots, n.slot)
	}
	return n.slot, chain, nil
}

// step finds or adds the step of that name.
func (n *jsonNode) step(name string) *jsonNode {
	if k := n.kid([]byte(name)); k != nil {
		return k
	}
	n.kids = append(n.kids, jsonNode{name: name})
	return &n.kids[len(n.kids)-1]
}

// jsonMap says how one kind of message is read.
type jsonMap struct {
	stream string  // name of its stream, told as the venue; "": it has none
	chain  []uint8 // levels from the outermost array to that of the ticks
	when   []jsonCondition

	symbol, time, venue   []uint8 // slots, the first that was met counts
	first, last, previous uint8   // of sequence numbers, 0: none
	halt                  []uint8 // of what tells of a halt
	apart                 []uint8 // slots that are no content
	record                bool    // the record's time stands for a missing one
	more                  bool    // there is more than symbol and time
}

// jsonCondition is what a message of a kind has.
type jsonCondition struct {
	slot   uint8
	level  uint8 // level at which it can be looked at
	values []string
	begins bool // the value begins with one of values
	absent bool // there is no such value
}

// compile adds a kind of message with its paths.
func (d *JSON) compile(f *feedMap) error {
	m := jsonMap{stream: f.stream, record: f.record}
	chains := [][]uint8{}
	slots := func(key, paths string) (out []uint8, err error) {
		for _, path := range alternatives(paths) {
			slot, chain, err := d.slotOf(key, path)
			if err != nil {
				return nil, err
			}
			out, chains = append(out, slot), append(chains, chain)
		}
		return out, nil
	}
	one := func(key, path string, into *uint8) error {
		s, err := slots(key, path)
		if len(s) > 0 {
			*into = s[0]
		}
		return err
	}
	var err error
	if m.symbol, err = slots("field.symbol", f.symbol); err != nil {
		return err
	}
	if m.time, err = slots("field.timestamp", f.time); err != nil {
		return err
	}
	if m.venue, err = slots("field.venue", f.venue); err != nil {
		return err
	}
	if m.halt, err = slots("field.halt", f.halt); err != nil {
		return err
	}
	also, err := slots("times", f.also)
	if err != nil {
		return err
	}
	for _, p := range []struct {
		path string
		into *uint8
	}{{f.first, &m.first}, {f.last, &m.last}, {f.previous, &m.previous}} {
		if err := one("field.sequence", p.path, p.into); err != nil {
			return err
		}
	}
	if m.chain, err = longest(chains); err != nil {
		return err
	}
	for _, c := range f.when {
		slot, chain, err := d.slotOf("field.kind", c.path)
		if err != nil {
			return err
		}
		jc := jsonCondition{slot: slot, values: c.values, begins: c.begins, absent: c.absent}
		if len(chain) > 0 {
			jc.level = chain[len(chain)-1]
		}
		m.when, chains = append(m.when, jc), append(chains, chain)
	}
	if m.chain, err = longest(chains); err != nil {
		return err
	}
	m.apart = slices.Concat(m.symbol, m.time, also, []uint8{m.first, m.last, m.previous})
	m.more = m.last != 0 || len(m.venue) > 0 || len(m.halt) > 0 || m.stream != "" || d.content
	d.maps = append(d.maps, m)
	return nil
}

// longest is the longest of chains of which each must begin the next longer.
func longest(chains [][]uint8) (most []uint8, err error) {
	for _, c := range chains {
		short, long := c, most
		if len(c) > len(most) {
			short, long = most, c
		}
		if !slices.Equal(long[:len(short)], short) {
			return nil, fmt.Errorf("the fields of a tick lie in arrays that are not within each other")
		}
		most = long
	}
	return most, nil
}
