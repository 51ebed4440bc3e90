package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parseJSON reads the flat map of PUT /connectors/<name>/config, or the
// {"name", "config"} of POST /connectors.
func parseJSON(content []byte) ([]entry, error) {
	r := jsonReader{json.NewDecoder(bytes.NewReader(content)), content}
	r.UseNumber()
	if token, err := r.Token(); err != nil || token != json.Delim('{') {
		return nil, r.fault("no JSON object", err)
	}
	entries, err := r.object(true)
	if err != nil {
		return nil, err
	}
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fault("something follows the JSON object", nil)
	}
	return entries, nil
}

type jsonReader struct {
	*json.Decoder
	content []byte
}

func (r jsonReader) line() int {
	return 1 + bytes.Count(r.content[:r.InputOffset()], []byte("\n"))
}

func (r jsonReader) fault(text string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", 1+bytes.Count(r.content[:syntax.Offset], []byte("\n")), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the JSON ends too early", r.line())
	}
	return fmt.Errorf("line %d: %s", r.line(), text)
}

// object reads what follows '{', up to and with '}'.
func (r jsonReader) object(outermost bool) ([]entry, error) {
	var entries []entry
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return nil, r.fault("no key", err)
		}
		e := entry{key: key.(string), line: r.line()}
		value, err := r.Token()
		if err != nil {
			return nil, r.fault("no value", err)
		}
		if value == json.Delim('{') && outermost && e.key == "config" {
			inner, err := r.object(false)
			if err != nil {
				return nil, err
			}
			entries = append(entries, inner...)
			continue
		}
		if e.value, err = r.scalarOrList(value); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", e.line, e.key, err)
		}
		entries = append(entries, e)
	}
	if _, err := r.Token(); err != nil {
		return nil, r.fault("no end", err)
	}
	return entries, nil
}

func (r jsonReader) scalarOrList(value json.Token) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case json.Delim:
		if v != '[' {
			return "", errors.New("an object cannot be a value; write the keys flat, with dots")
		}
		var elements []string
		for r.More() {
			element, err := r.Token()
			if err != nil {
				return "", r.fault("no element", err)
			}
			if _, nested := element.(json.Delim); nested {
				return "", errors.New("a list cannot hold lists or objects")
			}
			elements = append(elements, fmt.Sprint(element))
		}
		if _, err := r.Token(); err != nil {
			return "", r.fault("no end", err)
		}
		return strings.Join(elements, ","), nil
	}
	return fmt.Sprint(value), nil
}
