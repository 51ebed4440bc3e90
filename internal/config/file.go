package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// readFile reads a configuration in the form that its name's ending says, or
// that its content looks like.
func readFile(path string) ([]entry, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	switch form(path, string(content)) {
	case "json":
		return parseJSON(content)
	case "yaml":
		return parseYAML(content)
	}
	return parseProperties(string(content))
}

// form is "json", "yaml" or "properties". Content decides for other endings:
// a brace begins JSON, and the first line with a key shows by '=' or ": "
// which of the others it is.
func form(path, content string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".yaml", ".yml":
		return "yaml"
	case ".properties":
		return "properties"
	}
	if strings.HasPrefix(strings.TrimSpace(content), "{") {
		return "json"
	}
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		colon, equals := strings.Index(line+" ", ": "), strings.IndexByte(line, '=')
		if line == "---" || colon > 0 && (equals < 0 || colon < equals) {
			return "yaml"
		}
		return "properties"
	}
	return "properties"
}
