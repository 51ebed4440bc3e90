package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Fault is one thing wrong with a configuration.
type Fault struct {
	Key   string // "" when it is the file itself
	Where string // file:line, a variable's name or --set; "" for a default
	Text  string // what is wrong and what is allowed
}

func (f Fault) String() string {
	var parts []string
	key := f.Key
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		key = strconv.Quote(key)
	}
	for _, part := range []string{f.Where, key, f.Text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Error is every fault of a configuration, in the order in which they were
// found. It is the caller's to end the program with exit code 2.
type Error struct {
	Faults []Fault
	try    string
}

func (e *Error) Error() string {
	if len(e.Faults) == 1 {
		return "configuration: " + e.Faults[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "configuration: %d faults", len(e.Faults))
	for _, f := range e.Faults {
		b.WriteString("\n  " + f.String())
	}
	return b.String()
}

// Try is the next step for the user.
func (e *Error) Try() string { return cmp.Or(e.try, "auditstream config docs") }
