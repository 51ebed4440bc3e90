package main

import (
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/connectapi"
	"github.com/auditstream/auditstream/internal/livepage"
	"github.com/auditstream/auditstream/processors"
)

// pageBoard is what the page shows of an audit.
func pageBoard(c *config.Config, status *processors.Status, control *processors.Control) *livepage.Board {
	return livepage.NewBoard(livepage.Source{
		Name: c.Name, Version: build().Version,
		State: func() string {
			s, _ := connectorState(control.State(), status.Stats())
			return connectapi.StateName(s)
		},
		Status: func() livepage.Status { return pageStatus(status.Stats()) },
		Symbols: func(match func(string) bool, most int) ([]livepage.Symbol, bool) {
			found, more := status.Symbols(match, most)
			return pageSymbols(found), more
		},
		Distinct: status.SymbolCount,
		Busiest: func(most int) (loads []livepage.Load) {
			for _, l := range status.Busiest(most) {
				load := livepage.Load{Topic: l.Topic, Partition: l.Partition}
				for _, s := range l.Busiest {
					load.Symbols = append(load.Symbols, livepage.Count{Symbol: s.Symbol, Ticks: s.Count})
				}
				loads = append(loads, load)
			}
			return loads
		},
	})
}

// both tells two of a report; the second may be nil.
func both(first, second func(*engine.Report)) func(*engine.Report) {
	if second == nil {
		return first
	}
	return func(r *engine.Report) {
		first(r)
		second(r)
	}
}

func pageStatus(s processors.Stats) livepage.Status {
	status := livepage.Status{
		NotReady: s.NotReady, Instance: s.Instance, AgeCount: s.TickAges.Count, AgeSum: s.TickAges.Sum,
		Ticks: s.Judged.Ticks, Disorder: s.Judged.Disorder,
	}
	if s.Asked.State != processors.Running {
		status.StateSince, status.StateBy = s.Asked.Since, s.Asked.By
	}
	for _, n := range s.Open {
		status.Open += n
	}
	for _, p := range s.Partitions {
		status.Partitions = append(status.Partitions, livepage.Partition{
			Topic: p.Topic, Partition: p.Partition, Ticks: p.Counts.Ticks, Disorder: p.Counts.Disorder,
			Symbols: p.Symbols, Lag: p.Lag, Stalled: p.Stalled, Through: p.Through,
		})
	}
	return status
}

func pageSymbols(found []processors.SymbolStatus) []livepage.Symbol {
	symbols := make([]livepage.Symbol, len(found))
	millis := func(ns int64) *int64 {
		if ns == engine.NoTime {
			return nil
		}
		ms := ns / int64(time.Millisecond)
		return &ms
	}
	for i, s := range found {
		symbols[i] = livepage.Symbol{
			Topic: s.Topic, Partition: s.Partition, Symbol: s.Symbol, Ticks: s.Ticks, Disorder: s.Disorder, Through: s.Through,
			LastEvent: millis(s.LastEvent), LastSeen: millis(s.LastSeen), Silent: s.Silent, Late: s.Late,
		}
	}
	return symbols
}
