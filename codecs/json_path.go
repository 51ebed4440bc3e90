package codecs

import (
	"fmt"
	"strings"
)

// What a path's last step is.
const (
	leafNone = iota
	leafSymbol
	leafTime
)

// jsonNode is a step of the field paths: a member's name, and either the
// field that it is or the steps below it.
type jsonNode struct {
	name string
	leaf uint8
	kids []jsonNode
}

// add puts a path below n; key names the configuration for errors.
func (n *jsonNode) add(key, path string, leaf uint8) error {
	steps := strings.Split(path, ".")
	for i, step := range steps {
		if step == "" {
			return fmt.Errorf("%s %q: a step of the path is empty", key, path)
		}
		next := n.kid([]byte(step))
		if next == nil {
			n.kids = append(n.kids, jsonNode{name: step})
			next = &n.kids[len(n.kids)-1]
		} else if next.leaf != leafNone || i == len(steps)-1 {
			return fmt.Errorf("%s %q: the path is also the other field's, or leads through it", key, path)
		}
		n = next
	}
	n.leaf = leaf
	return nil
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

// span is a part of the value; empty when the field was not there.
type span struct{ start, end int }

// jsonFound is where the fields' values stand.
type jsonFound struct{ symbol, time span }

// document reads the whole value. The result is negative when it is no JSON
// object, see scanCut.
func (d *JSON) document(b []byte, at *jsonFound) int {
	i := skipSpace(b, 0)
	object := i < len(b) && b[i] == '{'
	if object {
		i = d.object(b, i+1, 1, &d.root, at)
	} else {
		i = skipValue(b, i, 0)
	}
	if i < 0 {
		return i
	}
	if i < len(b) {
		if i = skipSpace(b, i); i < len(b) {
			return scanBad
		}
	}
	if !object {
		return scanNotObject
	}
	return i
}

// object reads an object that a path may lead through, from the byte after
// its opening bracket, and notes the fields that it meets.
//
// Every tick passes here once for each of its members, so the forms that
// compact JSON has are read in place and all others by the scanner.
func (d *JSON) object(b []byte, i, depth int, n *jsonNode, at *jsonFound) int {
	if i = skipSpace(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for member := 0; ; member++ {
		if i >= len(b) {
			return scanCut
		}
		kid, next := d.shape.guess(b, i, member, depth)
		if next == 0 {
			if kid, next = d.member(b, i, n); next < 0 {
				return next
			}
			d.shape.learn(b[i:next], member, depth, kid)
		}
		i = next
		if kid != nil {
			i = d.value(b, i, depth, kid, at)
		} else if i < len(b) && isDigit(b[i]) {
			if end := plainEnd(b, i); end > 0 {
				i = end
			} else {
				i = skipNumber(b, i)
			}
		} else {
			i = skipValue(b, i, depth)
		}
		if i < 0 {
			return i
		}
		if i+1 < len(b) && b[i] == ',' && b[i+1] == '"' {
			i++
			continue
		}
		var more bool
		if i, more = nextItem(b, i, '}'); !more {
			return i
		}
	}
}

// member reads a member's name and colon at b[i] and the space around them,
// and finds the step below n that it is.
func (d *JSON) member(b []byte, i int, n *jsonNode) (kid *jsonNode, next int) {
	if b[i] != '"' {
		return nil, scanBad
	}
	end, escaped := skipString(b, i+1)
	if end < 0 {
		return nil, end
	}
	name := b[i+1 : end-1]
	if escaped {
		d.name = appendUnescaped(d.name[:0], name)
		name = d.name
	}
	kid = n.kid(name)
	if next = end + 1; end >= len(b) || b[end] != ':' || next >= len(b) || b[next] <= ' ' {
		next = skipColon(b, end)
	}
	return kid, next
}

// value reads the value of a member whose name is the step kid.
func (d *JSON) value(b []byte, i, depth int, kid *jsonNode, at *jsonFound) int {
	if kid.leaf == leafNone && i < len(b) && b[i] == '{' {
		return d.object(b, i+1, depth+1, kid, at)
	}
	end := skipValue(b, i, depth)
	switch kid.leaf {
	case leafSymbol:
		at.symbol = span{i, end}
	case leafTime:
		at.time = span{i, end}
	}
	return end
}
