package view

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text between words so that no line, with the margin before it,
// is longer than the width; a longer word stays whole. A width of 0 breaks
// nothing.
func Wrap(text, margin string, width int) string {
	if width <= 0 {
		return margin + text
	}
	var lines []string
	line := margin
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == margin:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), margin+word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}
