package engine

import "fmt"

// FormatRow counts the values of one format on a partition.
type FormatRow struct {
	Format string `json:"format"`
	Count  int64  `json:"count"`
	First  int64  `json:"first"` // offset of the first
}

// formatSeen is a FormatRow while it is counted.
type formatSeen struct{ count, first int64 }

// countFormat counts a record whose format is known, and judges whether it is
// another than that of the record before.
func (p *Partition) countFormat(t *Tick) {
	if t.Format >= FormatCount {
		return
	}
	f := &p.formats[t.Format]
	if f.count == 0 {
		f.first = t.Offset
	}
	f.count++
	before := p.row.Format
	p.row.Format = t.Format
	if before != FormatUnknown && before != t.Format {
		p.fault(FormatMixed, t, "", "", before.String()+" -> "+t.Format.String(), 0)
	}
}

// formatRows are the formats seen, in the order of their numbers.
func (p *Partition) formatRows() (rows []FormatRow) {
	for f := FormatUnknown + 1; f < FormatCount; f++ {
		if seen := p.formats[f]; seen.count > 0 {
			rows = append(rows, FormatRow{f.String(), seen.count, seen.first})
		}
	}
	return rows
}

func (p *Partition) restoreFormats(rows []FormatRow) {
	clear(p.formats[:])
	for _, r := range rows {
		for f := range FormatCount {
			if f.String() == r.Format {
				p.formats[f] = formatSeen{r.Count, r.First}
			}
		}
	}
}

func describeFormatMixed(p *Partition, e *Episode, f *Finding) {
	f.Symbol = ""
	rows, all := p.formatRows(), int64(0)
	for _, r := range rows {
		all += r.Count
	}
	shares, firsts, counts := map[string]float64{}, map[string]int64{}, map[string]int64{}
	for _, r := range rows {
		shares[r.Format], firsts[r.Format], counts[r.Format] = float64(r.Count)/float64(all), r.First, r.Count
	}
	f.Observed, f.Threshold, f.Unit = float64(len(rows)), 1, "formats"
	f.Cause = fmt.Sprintf("values on %s/%d changed their format %s, first at offset %d: %s of %s so far",
		p.topic, p.id, plural(e.Count, "time"), e.FirstOffset, plural(all, "value"), plural(int64(len(rows)), "format"))
	f.Evidence["shares"], f.Evidence["records"], f.Evidence["first_offsets"] = shares, counts, firsts
}
