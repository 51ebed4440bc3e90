package codecs

// span is a part of the value; empty when the field was not there.
type span struct{ start, end int }

// document reads the whole value and notes the spans of level 0. The result is
// negative when it is no JSON message of the configured form, see scanCut.
func (d *JSON) document(b []byte) int {
	i := skipSpace(b, 0)
	start, l := i, d.levels[0]
	known := i < len(b) && b[i] == '{'
	if known {
		i = d.object(b, i+1, 1, &l.root, l)
	} else {
		known = i < len(b) && b[i] == '[' && l.root.array != 0
		i = skipValue(b, i, 0)
	}
	if i < 0 {
		return i
	}
	if l.root.array != 0 {
		d.levels[l.root.array].array = span{start, i}
	}
	if i < len(b) {
		if i = skipSpace(b, i); i < len(b) {
			return scanBad
		}
	}
	if !known {
		return scanNotObject
	}
	return i
}

// object reads an object that a path may lead through, from the byte after
// its opening bracket, and notes the fields that it meets.
//
// Every tick passes here once for each of its members, so the forms that
// compact JSON has are read in place and all others by the scanner.
func (d *JSON) object(b []byte, i, depth int, n *jsonNode, l *jsonLevel) int {
	if i = skipSpace(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for member := 0; ; member++ {
		if i >= len(b) {
			return scanCut
		}
		kid, next := l.shape.guess(b, i, member, depth)
		if next == 0 {
			if kid, next = d.member(b, i, n); next < 0 {
				return next
			}
			l.shape.learn(b[i:next], member, depth, kid)
		}
		i = next
		if kid != nil {
			i = d.value(b, i, depth, kid, l)
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
func (d *JSON) value(b []byte, i, depth int, kid *jsonNode, l *jsonLevel) int {
	var end int
	if len(kid.kids) > 0 && i < len(b) && b[i] == '{' {
		end = d.object(b, i+1, depth+1, kid, l)
	} else {
		end = skipValue(b, i, depth)
	}
	d.found[kid.slot%maxSlots] = span{i, end}
	if kid.array != 0 {
		d.levels[kid.array].array = span{i, end}
	}
	return end
}
