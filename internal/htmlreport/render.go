package htmlreport

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": number, "at": showTime, "place": place, "evidence": evidence, "lower": strings.ToLower,
}).Parse(source))

// Write renders the page.
func (p *Page) Write(w io.Writer) error {
	v := struct {
		Title  string
		Topics []view
	}{Title: "Audit"}
	var names []string
	for _, t := range p.Topics {
		if t.Final == nil {
			continue
		}
		names = append(names, t.Name)
		v.Topics = append(v.Topics, viewOf(t))
	}
	if len(names) > 0 {
		v.Title = "Audit of " + strings.Join(names, ", ")
	}
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// view is one topic as the page shows it.
type view struct {
	*engine.Report
	Healthy    bool
	Verdict    string
	Severities []tally
	Facts      []fact
	Charts     []chart
	Partitions []bar
	More       int // partitions that are not drawn
	Tracks     []track
	Missing    int64 // findings that are not listed
}

type fact struct{ Name, Value string }

type tally struct {
	Severity engine.Severity
	Count    int
}

type bar struct {
	Name, Value string
	Percent     float64
	Busiest     bool
}

func viewOf(t *Topic) view {
	f := t.Final
	v := view{Report: f, Missing: f.FindingsTotal - int64(len(f.Findings))}
	counts := map[engine.Severity]int{}
	for i := range f.Findings {
		counts[f.Findings[i].Severity]++
	}
	for _, s := range []engine.Severity{engine.Critical, engine.Warning, engine.Info} {
		if counts[s] > 0 {
			v.Severities = append(v.Severities, tally{s, counts[s]})
		}
	}
	v.Healthy = len(f.Findings) == 0
	v.Verdict = "No findings"
	if n := f.FindingsTotal; n == 1 {
		v.Verdict = "1 finding"
	} else if n > 1 {
		v.Verdict = number(n) + " findings"
	}
	v.Facts = facts(f)
	v.Charts = charts(t)
	v.Partitions, v.More = partitionBars(f)
	v.Tracks = timeline(f)
	return v
}

// facts are the numbers of the FINAL report; counters of faults only where
// there are any.
func facts(f *engine.Report) []fact {
	c := &f.Counts
	out := []fact{
		{"Ticks", number(c.Ticks)}, {"Records", number(c.Records)}, {"Symbols", number(f.Symbols)},
		{"Partitions", number(int64(f.Partitions))}, {"Ticks a second", strconv.FormatFloat(f.Throughput, 'f', 1, 64)},
	}
	if f.SkewApplicable {
		out = append(out, fact{"Busiest ÷ mean partition", strconv.FormatFloat(f.SkewRatio, 'f', 2, 64)})
	}
	if f.MaxLagTicks != nil {
		out = append(out, fact{"Greatest lag", number(*f.MaxLagTicks)})
	}
	if f.MaxTickAgeMs != nil {
		out = append(out, fact{"Oldest tick", strconv.FormatFloat(*f.MaxTickAgeMs, 'f', 1, 64) + " ms"})
	}
	for _, x := range []struct {
		name string
		n    int64
	}{
		{"Out of order", c.Disorder}, {"Unreadable", c.Unreadable}, {"Unusable", c.Unusable}, {"Tombstones", c.Tombstones},
		{"Not ticks, by the feed", c.Ignored}, {"Further ticks of a record", c.Batched},
		{"Without a key", c.NullKeys}, {"With an empty key", c.EmptyKeys}, {"Key is not the symbol", c.KeyDiffers},
		{"Duplicates", c.Duplicates}, {"Old", c.Old}, {"Ahead of the clock", c.Ahead}, {"Late for their window", c.Late},
	} {
		if x.n > 0 {
			out = append(out, fact{x.name, number(x.n)})
		}
	}
	return out
}

// maxBars bounds the partitions that are drawn.
const maxBars = 64

func partitionBars(f *engine.Report) (bars []bar, more int) {
	ids := slices.SortedFunc(maps.Keys(f.PartitionTicks), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	var most int64
	for _, n := range f.PartitionTicks {
		most = max(most, n)
	}
	for _, id := range ids[:min(len(ids), maxBars)] {
		n := f.PartitionTicks[id]
		b := bar{Name: id, Value: number(n), Busiest: n == most && most > 0}
		if most > 0 {
			b.Percent = round(100 * float64(n) / float64(most))
		}
		bars = append(bars, b)
	}
	return bars, len(ids) - len(bars)
}

// number groups digits by thousands.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return sign + s
}

func showTime(t engine.Time) string {
	if t == engine.NoTime {
		return "unknown time"
	}
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.999 UTC")
}

// place is where a finding is, in a few words.
func place(f *engine.Finding) string {
	var parts []string
	if f.Symbol != "" {
		parts = append(parts, f.Symbol)
	}
	if f.Group != "" {
		parts = append(parts, "group "+f.Group)
	}
	if f.Partition != nil {
		parts = append(parts, fmt.Sprintf("partition %d", *f.Partition))
	}
	if f.FirstOffset >= 0 {
		offsets := fmt.Sprintf("offset %d", f.FirstOffset)
		if f.LastOffset > f.FirstOffset {
			offsets = fmt.Sprintf("offsets %d to %d", f.FirstOffset, f.LastOffset)
		}
		parts = append(parts, offsets)
	}
	return strings.Join(parts, " · ")
}

// evidence is a finding's evidence as lines of JSON.
func evidence(f *engine.Finding) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the template escapes
	e.SetIndent("", "  ")
	if err := e.Encode(f.Evidence); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
