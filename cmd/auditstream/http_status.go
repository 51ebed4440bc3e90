package main

import (
	"net/url"

	"github.com/auditstream/auditstream/internal/httpapi"
	"github.com/auditstream/auditstream/processors"
)

// doing is what the audit does as it was asked to.
func doing(name string, control *processors.Control) httpapi.Doing {
	state, asked := control.State(), control.Asked()
	d := httpapi.Doing{State: state.String()}
	switch asked.State {
	case processors.Paused:
		d.Since, d.Note = asked.Since, "paused as asked: partitions are kept, no tick of them is judged until PUT /connectors/"+url.PathEscape(name)+"/resume"
	case processors.Stopped:
		d.Since, d.Note = asked.Since, "stopped as asked: the groups are left, nothing is judged here until PUT /connectors/"+url.PathEscape(name)+"/resume"
	}
	return d
}

// httpStatus is the audit's status in the terms of its HTTP interface, with
// the names under which lag is exported besides.
func httpStatus(s processors.Stats, lagNames []string) httpapi.Status {
	status := httpapi.Status{
		NotReady: s.NotReady, Paused: s.Asked.State == processors.Paused, Open: s.Open, Opened: s.Opened, Rebalances: s.Rebalances, LagNames: lagNames,
		Checkpoints: httpapi.Durations(s.Checkpoints), Detections: httpapi.Durations(s.Detections),
		TickAges: httpapi.Durations(s.TickAges), OpenSince: s.OpenSince,
	}
	if !s.Ready && len(s.NotReady) == 0 {
		status.NotReady = []string{"the audit has not started"}
	}
	for _, p := range s.Partitions {
		status.Partitions = append(status.Partitions, httpapi.Partition{
			Topic: p.Topic, Partition: p.Partition, Records: p.Counts.Records, Ticks: p.Counts.Ticks, Lag: p.Lag, Stalled: p.Stalled,
			Live: p.Live, Symbols: p.Symbols, Counts: p.Counts,
		})
	}
	for _, t := range s.Topics {
		status.Topics = append(status.Topics, httpapi.Topic(t))
	}
	for _, l := range s.Lags {
		status.GroupLags = append(status.GroupLags, httpapi.GroupLag(l))
	}
	for _, g := range s.Groups {
		status.Groups = append(status.Groups, httpapi.Group{
			Name: g.Group, Type: g.Type, Protocol: g.Protocol, State: g.State, Members: g.Members, Coordinator: g.Coordinator,
		})
	}
	for _, l := range s.Logs {
		status.Logs = append(status.Logs, httpapi.Log(l))
	}
	return status
}
