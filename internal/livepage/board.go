package livepage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// The bounds of what is kept and shown.
const (
	openMost     = 5000 // findings known as open; beyond them the number is told alone
	openShown    = 100
	overMost     = 300 // findings that are over
	overShown    = 30
	samplesMost  = 360
	sampleEvery  = 5 * time.Second // so half an hour
	hotShown     = 12
	hotOf        = 3 // of each partition
	proofMost    = 8
	evidenceMost = 2048 // bytes
)

// story is a finding as the page tells it.
type story struct {
	ID        string          `json:"id" doc:"<finding_id>"`
	Code      string          `json:"code" doc:""`
	State     string          `json:"state" doc:"<OPENED>, <UPDATED> or <RESOLVED>"`
	Severity  string          `json:"severity" doc:"<INFO>, <WARNING> or <CRITICAL>"`
	Topic     string          `json:"topic" doc:""`
	Partition *int32          `json:"partition" doc:"<null>: of the topic"`
	Symbol    string          `json:"symbol" doc:"may be empty"`
	Group     string          `json:"group" doc:"may be empty"`
	Count     int64           `json:"count" doc:""`
	First     int64           `json:"first_ms" doc:"time of the first record it rests on"`
	Last      int64           `json:"last_ms" doc:"of the last"`
	Offset    int64           `json:"first_offset" doc:"-1: no record stands for it"`
	Cause     string          `json:"cause" doc:""`
	Action    string          `json:"action" doc:"what to do next"`
	Evidence  map[string]any  `json:"evidence,omitempty" doc:"as in the report; <too_large> alone where it is larger than a page can show"`
	rank      engine.Severity // for the order
	told      int64           // order in which it was told last
}

// topicView is a topic as its last report tells it.
type topicView struct {
	Topic       string   `json:"topic" doc:""`
	Status      string   `json:"status" doc:""`
	Partitioner string   `json:"partitioner" doc:"what keys follow"`
	Notes       string   `json:"notes" doc:"<audit_notes>"`
	Partitions  int32    `json:"partitions" doc:""`
	Symbols     int64    `json:"symbols" doc:"each once, on however many partitions"`
	Ticks       int64    `json:"ticks" doc:"in all, since the group's first record"`
	Skew        *float64 `json:"skew" doc:"busiest ÷ mean; <null>: not judged"`
	Proof       []proof  `json:"proof" doc:"<proof>"`
}

// proof is where a symbol lies and where a hash would have put its key.
type proof struct {
	Symbol   string `json:"symbol" doc:""`
	On       int32  `json:"on" doc:"partition"`
	Expected *int32 `json:"expected" doc:"partition by that hash; <null>: the verdict is no one hash"`
}

// Board is what the page shows. Its methods may be called at any time.
type Board struct {
	source Source

	mu      sync.Mutex
	turn    int64
	open    map[string]*story
	over    []*story // oldest first
	topics  map[string]*topicView
	samples samples
	last    sample // what the next sample is held against
	watched int    // event streams that are open

	ended chan struct{} // closed when the audit ends
}

// NewBoard is the board of an audit that has told nothing yet.
func NewBoard(source Source) *Board {
	return &Board{source: source, open: map[string]*story{}, topics: map[string]*topicView{}, ended: make(chan struct{})}
}

// Report takes a report that has become durable.
func (b *Board) Report(r *engine.Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	for i := range r.Findings {
		b.finding(&r.Findings[i])
	}
	if r.Scope == engine.ScopeTopic {
		b.topics[r.Topic] = topicOf(r)
	}
}

func (b *Board) finding(f *engine.Finding) {
	_, known := b.open[f.ID]
	if f.State != engine.Resolved {
		if known || len(b.open) < openMost {
			b.open[f.ID] = storyOf(f, b.turn)
		}
		return
	}
	delete(b.open, f.ID)
	if !known && slices.ContainsFunc(b.over, func(s *story) bool { return s.ID == f.ID }) {
		return // a report that lists it again
	}
	b.over = append(b.over, storyOf(f, b.turn))
	b.over = b.over[max(0, len(b.over)-overMost):]
}

func storyOf(f *engine.Finding, turn int64) *story {
	return &story{
		ID: f.ID, Code: f.Code.String(), State: f.State.String(), Severity: f.Severity.String(), Topic: f.Topic,
		Partition: f.Partition, Symbol: f.Symbol, Group: f.Group, Count: f.Count, First: int64(f.FirstTime) / 1e6,
		Last: int64(f.LastTime) / 1e6, Offset: f.FirstOffset, Cause: f.Cause, Action: f.Action,
		Evidence: bounded(f.Evidence), rank: f.Severity, told: turn,
	}
}

func topicOf(r *engine.Report) *topicView {
	v := &topicView{
		Topic: r.Topic, Status: r.Status.String(), Partitioner: r.Partitioner, Notes: r.Notes,
		Partitions: r.Partitions, Symbols: r.Symbols, Ticks: r.TotalTicks, Proof: []proof{},
	}
	if r.SkewApplicable {
		v.Skew = &r.SkewRatio
	}
	hash, err := engine.PartitionerByName(r.Partitioner)
	for _, symbol := range slices.Sorted(maps.Keys(r.SymbolsMap)) {
		if len(v.Proof) == proofMost {
			break
		}
		p := proof{Symbol: symbol, On: r.SymbolsMap[symbol]}
		if err == nil {
			if n, _, ok := hash.Place([]byte(symbol), false, r.Partitions); ok {
				p.Expected = &n
			}
		}
		v.Proof = append(v.Proof, p)
	}
	return v
}

// stories are the open findings, most severe and newest first, and those that
// are over, newest first, both bounded.
func (b *Board) stories() []*story {
	open := slices.SortedFunc(maps.Values(b.open), func(x, y *story) int {
		return cmp.Or(cmp.Compare(y.rank, x.rank), cmp.Compare(y.First, x.First), cmp.Compare(x.ID, y.ID))
	})
	shown := append([]*story{}, open[:min(openShown, len(open))]...)
	for i := len(b.over) - 1; i >= 0 && i >= len(b.over)-overShown; i-- {
		shown = append(shown, b.over[i])
	}
	return shown
}

// of gives the last findings of a symbol, newest first.
func (b *Board) of(topic, symbol string, most int) []story {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []*story
	for _, s := range b.open {
		if s.Symbol == symbol && s.Topic == topic {
			found = append(found, s)
		}
	}
	for _, s := range b.over {
		if s.Symbol == symbol && s.Topic == topic {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(x, y *story) int { return cmp.Or(cmp.Compare(y.told, x.told), cmp.Compare(x.ID, y.ID)) })
	out := []story{}
	for _, s := range found[:min(most, len(found))] {
		out = append(out, *s)
	}
	return out
}

// Run takes samples until the context ends; then event streams end too, so
// that they do not hold up the end of the server.
func (b *Board) Run(ctx context.Context) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	defer close(b.ended)
	b.sample(time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			b.sample(now)
		}
	}
}
