package view

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text between words so that no line, with the margin before it,
// is longer than the width; a longer word stays whole. A width of 0 breaks
// nothing.
func Wrap(text, margin string, width int) string {
	var all []word
	for part := range strings.FieldsSeq(text) {
		all = append(all, word{text: part})
	}
	return wrap(text, all, margin, width)
}

// WrapSteps is Wrap for text with commands of a shell in it, which begin with
// the name of one of Kafka's scripts and end at a comma or with the text: a
// backslash ends a line that one of them goes on after, so that it can be
// copied as it stands.
func WrapSteps(text, margin string, width int) string {
	return wrap(text, words(text), margin, width)
}

// wrap breaks a text between its words.
func wrap(text string, all []word, margin string, width int) string {
	if width <= 0 {
		return margin + text
	}
	var lines []string
	line := margin
	for i, w := range all {
		room := width
		if i+1 < len(all) && all[i+1].inside {
			room -= len(` \`)
		}
		switch {
		case line == margin:
			line += w.text
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w.text) > room:
			if w.inside {
				line += ` \`
			}
			lines, line = append(lines, line), margin+w.text
		default:
			line += " " + w.text
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// takesValue reports whether a word is a flag, which its value stays with.
func takesValue(word string) bool {
	return strings.HasPrefix(word, "--") && !strings.Contains(word, " ")
}

// word is a word of a text; of a command, a flag with its value.
type word struct {
	text   string
	inside bool // of a command, not its first
}

func words(text string) (all []word) {
	command, quoted := false, false
	for part := range strings.FieldsSeq(text) {
		last := len(all) - 1
		switch {
		case quoted, command && !strings.HasPrefix(part, "--") && takesValue(all[last].text):
			all[last].text += " " + part
		default:
			all = append(all, word{part, command})
		}
		if strings.HasPrefix(part, "kafka-") && strings.HasSuffix(part, ".sh") {
			command = true
		}
		if command && strings.Count(part, "'")%2 == 1 {
			quoted = !quoted
		}
		if !quoted && (strings.HasSuffix(part, ",") || strings.HasSuffix(part, ";")) {
			command = false
		}
	}
	return all
}
