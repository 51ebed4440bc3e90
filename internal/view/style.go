package view

import "github.com/auditstream/auditstream/engine"

// Style says how text is dressed. The zero value writes plain text.
type Style struct {
	Colour bool // ANSI escape codes may be written
}

// The colours, as SGR parameters (ECMA-48, 8.3.117).
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
	dim    = "2"
)

func (s Style) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold makes text stand out.
func (s Style) Bold(text string) string { return s.paint(bold, text) }

// Dim makes text step back.
func (s Style) Dim(text string) string { return s.paint(dim, text) }

// Good dresses what went well.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Bad dresses what went wrong.
func (s Style) Bad(text string) string { return s.paint(red, text) }

// Severity dresses text by how much a finding matters.
func (s Style) Severity(v engine.Severity, text string) string {
	switch v {
	case engine.Critical:
		return s.paint(red, text)
	case engine.Warning:
		return s.paint(yellow, text)
	}
	return s.paint(cyan, text)
}

// finding dresses a finding's text: green once it is over.
func (s Style) finding(f *engine.Finding, text string) string {
	if f.State == engine.Resolved {
		return s.Good(text)
	}
	return s.Severity(f.Severity, text)
}
