package calendar

import (
	"errors"
	"path"
)

// match reports whether one of the patterns matches the whole symbol: exact,
// or with *, ? and [a-z] as in file names. A slash is like any other sign.
func match(patterns []string, symbol string) bool {
	for _, p := range patterns {
		if p == symbol || p == "*" {
			return true
		}
		if ok, err := path.Match(unslash(p), unslash(symbol)); ok && err == nil {
			return true
		}
	}
	return false
}

// unslash makes a slash an ordinary sign for path.Match.
func unslash(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == '/' {
			b[i] = 0
		}
	}
	return string(b)
}

func checkPatterns(patterns []string) error {
	if len(patterns) == 0 {
		return errors.New("none is named; write [\"*\"] for all")
	}
	for _, p := range patterns {
		if _, err := path.Match(unslash(p), ""); err != nil || p == "" {
			return errors.New(p + " is no pattern: exact, or with *, ? and [a-z]")
		}
	}
	return nil
}
