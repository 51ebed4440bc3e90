package codecs

import "github.com/auditstream/auditstream/engine"

// WalkObject calls member for each member of a JSON object in their order,
// with the bytes between the name's quotes and the value as it is written,
// until member returns false. It reads the object as far as it is well-formed
// and returns why it ended: ReasonNone at the object's end or where member
// ended it, ReasonTruncated where the bytes end in the middle, and so on.
// Capture files are read with it, which carry bytes that
// are no UTF-8 inside strings.
func WalkObject(b []byte, member func(name, value []byte) bool) engine.Reason {
	return walkReason(walk(b, '{', '}', func(name, value span) bool {
		return member(b[name.start:name.end], b[value.start:value.end])
	}))
}

// WalkArray calls element for each element of a JSON array, as [WalkObject]
// does.
func WalkArray(b []byte, element func(value []byte)) engine.Reason {
	return walkReason(walk(b, '[', ']', func(_, value span) bool {
		element(b[value.start:value.end])
		return true
	}))
}

// AppendUnquoted appends the bytes that a well-formed JSON string, with its
// quotes, stands for. Bytes that are no UTF-8 stay as they are.
func AppendUnquoted(dst, quoted []byte) []byte {
	return appendUnescaped(dst, quoted[1:len(quoted)-1])
}

func walkReason(end int) engine.Reason {
	switch end {
	case scanCut:
		return engine.ReasonTruncated
	case scanBad:
		return engine.ReasonSyntax
	case scanDeep:
		return engine.ReasonDepth
	case scanNotObject:
		return engine.ReasonNotObject
	}
	return engine.ReasonNone
}

func walk(b []byte, opening, closing byte, item func(name, value span) bool) int {
	i := skipSpace(b, 0)
	if i >= len(b) {
		return scanCut
	}
	if b[i] != opening {
		return scanNotObject
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == closing {
		return walkEnd(b, i+1)
	}
	for {
		var name span
		if opening == '{' {
			if i < len(b) && b[i] != '"' {
				return scanBad
			}
			end, _ := skipString(b, min(i+1, len(b)))
			name = span{i + 1, end - 1}
			if i = end; i > 0 {
				i = skipColon(b, end)
			}
			if i < 0 {
				return i
			}
		}
		start := i
		if i = skipValue(b, i, 1); i < 0 {
			return i
		}
		// A number at the very end may go on in what was cut off.
		if i == len(b) {
			return scanCut
		}
		if !item(name, span{start, i}) {
			return i
		}
		var more bool
		if i, more = nextItem(b, i, closing); !more {
			if i < 0 {
				return i
			}
			return walkEnd(b, i)
		}
	}
}

// walkEnd allows only white space behind the value.
func walkEnd(b []byte, i int) int {
	if i = skipSpace(b, i); i < len(b) {
		return scanBad
	}
	return i
}
