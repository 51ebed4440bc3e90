package codecs

import (
	"unicode/utf16"
	"unicode/utf8"
)

// hexDigit is the value of a hexadecimal digit, -1 for another byte.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// appendUnescaped appends the bytes that the inside of a well-formed JSON
// string stands for. Bytes that are no UTF-8 stay as they are; half of a
// surrogate pair becomes U+FFFD, since no bytes stand for it.
func appendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			run := i
			for i < len(s) && s[i] != '\\' {
				i++
			}
			dst = append(dst, s[run:i]...)
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hexRune(s[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					low = hexRune(s[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// hexRune reads four hexadecimal digits that have been checked.
func hexRune(s []byte) (r rune) {
	for _, c := range s[:4] {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}
