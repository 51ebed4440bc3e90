package codecs

import (
	"encoding/binary"
	"math/bits"
)

// Scanning functions take the bytes and an index and return the index after
// what they read, or one of these.
const (
	scanCut       = -1 - iota // the bytes end in the middle
	scanBad                   // a byte that cannot stand here
	scanDeep                  // nested deeper than maxDepth
	scanNotObject             // well-formed, but no object
)

// maxDepth is the nesting that is followed; no tick comes near it.
const maxDepth = 64

const (
	swarLow  = 0x0101010101010101
	swarHigh = 0x8080808080808080
)

// skipSpace returns the index of the next byte that is no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString reads a string from the byte after its opening quote to the
// byte after its closing one, eight bytes at a time.
func skipString(b []byte, i int) (end int, escaped bool) {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, slash := w^(swarLow*'"'), w^(swarLow*'\\')
			stop := ((quote-swarLow)&^quote | (slash-swarLow)&^slash | (w-swarLow*0x20)&^w) & swarHigh
			if stop != 0 {
				// Borrows reach upwards only: the lowest mark is a true one.
				i += bits.TrailingZeros64(stop) >> 3
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			i++
		}
		switch {
		case i >= len(b):
			return scanCut, escaped
		case b[i] == '"':
			return i + 1, escaped
		case b[i] != '\\':
			return scanBad, escaped
		}
		escaped = true
		if i = skipEscape(b, i+1); i < 0 {
			return i, true
		}
	}
}

// skipEscape reads an escape from the byte after its backslash.
func skipEscape(b []byte, i int) int {
	if i >= len(b) {
		return scanCut
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for k := i + 1; k <= i+4; k++ {
			if k >= len(b) {
				return scanCut
			}
			if hexDigit(b[k]) < 0 {
				return scanBad
			}
		}
		return i + 5
	}
	return scanBad
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// digitsEnd returns the index of the first byte from i on that is no digit,
// eight bytes at a time.
func digitsEnd(b []byte, i int) int {
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:]) ^ swarLow*'0' // a digit becomes 0 to 9
		// 0x76 carries 10 and above into the high bit; a carry out of a byte
		// reaches upwards only, so the lowest mark is a true one.
		if stop := (v + swarLow*0x76 | v) & swarHigh; stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
		i += 8
	}
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// skipDigits reads digits, of which there must be at least one.
func skipDigits(b []byte, i int) int {
	if i >= len(b) {
		return scanCut
	}
	if !isDigit(b[i]) {
		return scanBad
	}
	return digitsEnd(b, i)
}

// plainEnd returns the index after a number at b[i] of at most 15 bytes that
// is digits, or digits, a point and digits, with a comma or closing bracket
// behind it; 0 for all else, which skipNumber then reads.
func plainEnd(b []byte, i int) int {
	if i+16 > len(b) {
		return 0
	}
	b = b[i : i+16]
	// A mark stands at each byte that is no digit, as in digitsEnd. Only behind
	// a byte of 0x80 or above may one stand at a digit, and such a byte ends
	// the number or comes after its end.
	v := binary.LittleEndian.Uint64(b) ^ swarLow*'0'
	stop := (v + swarLow*0x76 | v) & swarHigh
	w := binary.LittleEndian.Uint64(b[8:]) ^ swarLow*'0'
	more := (w + swarLow*0x76 | w) & swarHigh
	end := markEnd(stop, more)
	if end == 0 || end > 1 && b[0] == '0' {
		return 0
	}
	if end < 16 && b[end&15] == '.' {
		point := end
		if point < 8 {
			stop &= stop - 1
		} else {
			stop, more = 0, more&(more-1)
		}
		if end = markEnd(stop, more); end == point+1 {
			return 0
		}
	}
	if end < 16 && (b[end&15] == ',' || b[end&15] == '}') {
		return i + end
	}
	return 0
}

// markEnd is the index of the lowest mark in two words, 16 without one.
func markEnd(stop, more uint64) int {
	if stop != 0 {
		return bits.TrailingZeros64(stop) >> 3
	}
	return 8 + bits.TrailingZeros64(more)>>3
}

// skipNumber reads a number whose first byte is b[i].
func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	first := i
	if i = digitsEnd(b, i); i == first {
		return skipDigits(b, i)
	}
	if b[first] == '0' && i > first+1 {
		return scanBad
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = digitsEnd(b, first); i == first {
			return skipDigits(b, i)
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipWord reads one of the literals true, false and null.
func skipWord(b []byte, i int, word string) int {
	for k := range len(word) {
		if i+k >= len(b) {
			return scanCut
		}
		if b[i+k] != word[k] {
			return scanBad
		}
	}
	return i + len(word)
}

// skipScalar reads a value that is neither an object nor an array.
func skipScalar(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		end, _ := skipString(b, i+1)
		return end
	case c == '-' || isDigit(c):
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	}
	return scanBad
}

// skipValue reads the value that begins at b[i], inside depth objects and
// arrays.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return scanCut
	}
	switch b[i] {
	case '{':
		return skipNested(b, i+1, depth+1, '}')
	case '[':
		return skipNested(b, i+1, depth+1, ']')
	}
	return skipScalar(b, i)
}

// skipNested reads an object or array from the byte after its opening
// bracket.
func skipNested(b []byte, i, depth int, closing byte) int {
	if depth > maxDepth {
		return scanDeep
	}
	if i = skipSpace(b, i); i < len(b) && b[i] == closing {
		return i + 1
	}
	for {
		if closing == '}' {
			if i = skipName(b, i); i < 0 {
				return i
			}
		}
		if i = skipValue(b, i, depth); i < 0 {
			return i
		}
		var more bool
		if i, more = nextItem(b, i, closing); !more {
			return i
		}
	}
}

// nextItem reads what follows a member or element: a comma, and more is true,
// or the closing bracket.
func nextItem(b []byte, i int, closing byte) (next int, more bool) {
	if i = skipSpace(b, i); i >= len(b) {
		return scanCut, false
	}
	switch b[i] {
	case ',':
		return skipSpace(b, i+1), true
	case closing:
		return i + 1, false
	}
	return scanBad, false
}

// skipName reads a member's name, the colon and the space around it.
func skipName(b []byte, i int) int {
	if i >= len(b) {
		return scanCut
	}
	if b[i] != '"' {
		return scanBad
	}
	if i, _ = skipString(b, i+1); i < 0 {
		return i
	}
	return skipColon(b, i)
}

// skipColon reads the colon after a name and the space around it.
func skipColon(b []byte, i int) int {
	if i = skipSpace(b, i); i >= len(b) {
		return scanCut
	}
	if b[i] != ':' {
		return scanBad
	}
	return skipSpace(b, i+1)
}
