package htmlreport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// chart is a line over time. Its picture is stretched to the page's width, so
// words stand beside it, not in it.
type chart struct {
	Title, Unit      string
	Most             string // greatest value
	From, To         string
	Line, Area       string // of an SVG path in a box of 1000 by 100
	Threshold        float64
	ThresholdLabel   string
	Class, Described string
}

// timesOf are the first and last time of the bins.
func timesOf(t *Topic) (from, to int64) {
	return t.Bins[0].Start, t.Bins[len(t.Bins)-1].Start + t.Width
}

// charts are those that have something to show.
func charts(t *Topic) []chart {
	if len(t.Bins) == 0 {
		return nil
	}
	seconds := float64(t.Width) / 1e9
	out := []chart{line(t, "Ticks a second", "ticks/s", "ticks", func(b *Bin) float64 { return float64(b.Ticks) / seconds })}
	faulty, skewed := false, false
	for i := range t.Bins {
		faulty = faulty || t.Bins[i].Faulty > 0
		skewed = skewed || t.Bins[i].Skew > 0
	}
	if faulty {
		out = append(out, line(t, "Faulty records", "in "+showWidth(t.Width), "faulty", func(b *Bin) float64 { return float64(b.Faulty) }))
	}
	if skewed {
		out = append(out, line(t, "Busiest ÷ mean partition", "", "skew", func(b *Bin) float64 { return b.Skew }))
	}
	return out
}

func showWidth(ns int64) string {
	s := time.Duration(ns).String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "m") || strings.HasSuffix(s, "h") {
		return strings.TrimSuffix(s, "0m")
	}
	return time.Duration(ns).String()
}

// line draws a value of every bin; times without a bin have the value 0.
func line(t *Topic, title, unit, class string, value func(*Bin) float64) chart {
	from, to := timesOf(t)
	var most float64
	for i := range t.Bins {
		most = max(most, value(&t.Bins[i]))
	}
	x := func(at int64) float64 { return 1000 * float64(at-from) / float64(to-from) }
	y := func(v float64) float64 {
		if most == 0 {
			return 100
		}
		return 100 - 100*v/most
	}
	var path strings.Builder
	point := func(at int64, v float64) {
		command := "L"
		if path.Len() == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%s %s", command, short(x(at)), short(y(v)))
	}
	end := from
	for i := range t.Bins {
		b := &t.Bins[i]
		if b.Start > end { // a gap
			point(end, 0)
			point(b.Start, 0)
		}
		end = b.Start + t.Width
		point(b.Start, value(b))
		point(end, value(b))
	}
	c := chart{
		Title: title, Unit: unit, Class: class, Most: showValue(most), From: showTime(engine.Time(from)), To: showTime(engine.Time(to)),
		Line: path.String(), Area: path.String() + "L1000 100L0 100Z",
	}
	c.Described = fmt.Sprintf("%s from %s to %s, at most %s %s", title, c.From, c.To, c.Most, unit)
	return c
}

func short(v float64) string { return strconv.FormatFloat(round(v), 'f', -1, 64) }

func round(v float64) float64 { return float64(int64(v*100+0.5)) / 100 }

func showValue(v float64) string {
	if v >= 100 || v == float64(int64(v)) {
		return number(int64(v + 0.5))
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// track is the findings of one code on the line of time.
type track struct {
	Code, Severity string
	Count          int
	Marks          []mark
}

// mark is one finding.
type mark struct {
	Left, Width float64 // percent
	Label       string
}

// timeline puts findings on the time that the report covers, a track a code.
func timeline(f *engine.Report) []track {
	from, to := int64(f.WindowStart), int64(f.WindowEnd)
	if f.WindowStart == engine.NoTime || to <= from {
		return nil
	}
	percent := func(at engine.Time) float64 {
		return round(100 * float64(min(max(int64(at), from), to)-from) / float64(to-from))
	}
	var out []track
	for i := range f.Findings {
		g := &f.Findings[i]
		if g.FirstTime == engine.NoTime {
			continue
		}
		code := g.Code.String()
		at := slices.IndexFunc(out, func(t track) bool { return t.Code == code })
		if at < 0 {
			at = len(out)
			out = append(out, track{Code: code, Severity: strings.ToLower(g.Severity.String())})
		}
		last := max(g.LastTime, g.FirstTime)
		m := mark{Left: percent(g.FirstTime), Label: place(g) + ", " + showTime(g.FirstTime) + " – " + showTime(last)}
		m.Width = round(percent(last) - m.Left)
		out[at].Count++
		out[at].Marks = append(out[at].Marks, m)
	}
	return out
}
