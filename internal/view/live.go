package view

import (
	"fmt"
	"io"
	"strings"
)

// Live writes lines to a terminal above a few that stay at its end and change.
type Live struct {
	w    io.Writer
	held int // lines at the end that are to be replaced
}

// NewLive writes to a terminal.
func NewLive(w io.Writer) *Live { return &Live{w: w} }

// Show writes lines for good, and those that stay below them. The codes are
// CUU and ED of ECMA-48; all is one write, so that nothing flickers.
func (l *Live) Show(lines, staying []string) error {
	var b strings.Builder
	if l.held > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", l.held)
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	for _, line := range staying {
		b.WriteString(line + "\n")
	}
	l.held = len(staying)
	_, err := io.WriteString(l.w, b.String())
	return err
}
