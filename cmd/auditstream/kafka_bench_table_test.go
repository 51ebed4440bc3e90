package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// benchTable is what the contestants took, in the order of their first turns.
type benchTable struct {
	names []string
	took  map[string][]*benchMeter
}

func (t *benchTable) add(name string, m *benchMeter) {
	if t.took == nil {
		t.took = map[string][]*benchMeter{}
	}
	if t.took[name] == nil {
		t.names = append(t.names, name)
	}
	t.took[name] = append(t.took[name], m)
}

// median is that of what a contestant's rounds had of something.
func (t *benchTable) median(name string, of func(*benchMeter) float64) float64 {
	var all []float64
	for _, m := range t.took[name] {
		all = append(all, of(m))
	}
	slices.Sort(all)
	if n := len(all); n > 0 {
		return (all[n/2] + all[(n-1)/2]) / 2
	}
	return 0
}

// print writes medians and what part of the raw read's ticks a second they are.
func (t *benchTable) print(w io.Writer) {
	rate := func(m *benchMeter) float64 { return float64(m.ticks) / m.elapsed.Seconds() }
	raw := t.median("raw", rate)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "contestant\trounds\tM ticks/s\tof raw\tCPU µs/tick\tCPU s\tallocs/tick\tRSS MiB\t")
	for _, name := range t.names {
		ratio := "?"
		if raw > 0 {
			ratio = fmt.Sprintf("%.2f", t.median(name, rate)/raw)
		}
		cpu := func(m *benchMeter) float64 { return m.cpu.Seconds() }
		aTick := func(what func(*benchMeter) float64) float64 {
			return t.median(name, func(m *benchMeter) float64 { return what(m) / float64(m.ticks) })
		}
		fmt.Fprintf(table, "%s\t%d\t%.2f\t%s\t%.2f\t%.2f\t%.2f\t%.0f\t\n", name, len(t.took[name]), t.median(name, rate)/1e6, ratio,
			aTick(cpu)*1e6, t.median(name, cpu),
			aTick(func(m *benchMeter) float64 { return float64(m.allocs) }),
			t.median(name, func(m *benchMeter) float64 { return float64(m.resident) })/(1<<20))
	}
	_ = table.Flush()
}
