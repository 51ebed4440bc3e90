package view

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells under each other, at most Width columns wide: the
// widest cells give way. Text in the last column goes on in the next line;
// what is too long elsewhere is cut, which its last two characters ".." tell. A
// row of one cell, among rows of more, is a heading over all columns.
type Table struct {
	Width int
	rows  [][]string
}

const (
	tableGap   = 2
	tableLeast = 6 // columns that are narrower are not cut
)

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the rows and forgets them.
func (t *Table) Write(w io.Writer) error {
	widths := t.widths()
	var buf strings.Builder
	for _, row := range t.rows {
		if len(row) == 1 && len(widths) > 1 {
			buf.WriteString(hanging(row[0], 0, t.Width) + "\n")
			continue
		}
		indent := 0
		for i, cell := range row {
			if i == len(row)-1 {
				buf.WriteString(hanging(cell, indent, max(widths[i], tableLeast)))
				break
			}
			cell = Cut(cell, widths[i])
			buf.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+tableGap))
			indent += widths[i] + tableGap
		}
		buf.WriteByte('\n')
	}
	t.rows = nil
	_, err := io.WriteString(w, buf.String())
	return err
}

// widths are the widths of the columns, of which the widest give way until all
// fit.
func (t *Table) widths() []int {
	var widths []int
	headings := slices.ContainsFunc(t.rows, func(row []string) bool { return len(row) > 1 })
	for _, row := range t.rows {
		if headings && len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if len(widths) == 0 {
		return nil
	}
	excess := tableGap*(len(widths)-1) - t.Width
	for _, width := range widths {
		excess += width
	}
	for excess > 0 {
		sorted := slices.Sorted(slices.Values(widths))
		widest, next := sorted[len(sorted)-1], tableLeast
		if len(sorted) > 1 {
			next = max(next, sorted[len(sorted)-2])
		}
		if widest <= tableLeast {
			break
		}
		give := max(1, min(excess, widest-next))
		widths[slices.Index(widths, widest)] -= give
		excess -= give
	}
	return widths
}

// hanging wraps a cell so that its lines after the first begin below it.
func hanging(cell string, indent, width int) string {
	if utf8.RuneCountInString(cell) <= width {
		return cell
	}
	var lines []string
	for line := range strings.SplitSeq(Wrap(cell, "", width), "\n") {
		lines = append(lines, Cut(line, width))
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// Cut shortens a text to so many characters, the last two of which say so.
func Cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-2)]) + ".."
}
