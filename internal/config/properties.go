package config

import (
	"fmt"
	"strconv"
	"strings"
)

// entry is one key as a file gives it.
type entry struct {
	key, value string
	line       int // from 1
}

// parseProperties reads java.util.Properties' text form: '#' and '!' comments,
// '=', ':' or white space between key and value, a backslash at a line's end to
// continue it, and the escapes \t \n \r \f \uXXXX; any other escaped character
// is itself. Unlike Java's own reader the text is UTF-8, as Connect reads it.
func parseProperties(content string) ([]entry, error) {
	var entries []entry
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\r", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], blanks)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		first := i
		for continues(line) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], blanks)
		}
		if continues(line) {
			line = line[:len(line)-1]
		}
		key, value := splitProperty(line)
		e := entry{line: first + 1}
		var err error
		if e.key, err = unescape(key); err == nil {
			e.value, err = unescape(value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", first+1, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

const blanks = " \t\f"

// continues says whether a line ends in an odd number of backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty cuts at the first separator that is not escaped: blanks, one
// '=' or ':' among them.
func splitProperty(line string) (key, value string) {
	end := 0
	for end < len(line) && !strings.ContainsRune("=:"+blanks, rune(line[end])) {
		if line[end] == '\\' && end+1 < len(line) {
			end++
		}
		end++
	}
	value = strings.TrimLeft(line[end:], blanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blanks)
	}
	return line[:end], value
}

func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if i+5 > len(text) {
				return "", fmt.Errorf(`\u needs four hexadecimal digits`)
			}
			code, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
			if err != nil {
				return "", fmt.Errorf(`\u%s needs four hexadecimal digits`, text[i+1:i+5])
			}
			b.WriteRune(rune(code))
			i += 4
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), nil
}
