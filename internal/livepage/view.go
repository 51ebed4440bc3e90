package livepage

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// stateView is the event "state".
type stateView struct {
	Name       string       `json:"name" doc:"of the audit"`
	Version    string       `json:"version" doc:"of the program"`
	Instance   string       `json:"instance" doc:"its <instance.id>"`
	State      string       `json:"state" doc:"Connect's word: <RUNNING>, <PAUSED>, <STOPPED>, <RESTARTING>, <FAILED>"`
	StateSince *int64       `json:"state_since_ms" doc:"when a pause or a stop was asked for, milliseconds since 1970; <null>: none is in force"`
	StateBy    string       `json:"state_by" doc:"who has asked for it, as far as known"`
	Ready      bool         `json:"ready" doc:"as </readyz>"`
	Reasons    []string     `json:"reasons" doc:"why it is not ready, at most 10"`
	Open       int64        `json:"open" doc:"findings open"`
	Findings   []*story     `json:"findings" doc:"<finding>: open ones, most severe first, then those that are over, both bounded"`
	Topics     []*topicView `json:"topics" doc:"<topic>"`
	Ticks      int64        `json:"ticks" doc:"judged on this instance's partitions since the group's first record"`
	Rate       *float64     `json:"rate" doc:"ticks a second in the last 5 s; <null>: not measured yet"`
	Disorder   int64        `json:"disorder" doc:"of the ticks, those out of order"`
	Lag        *int64       `json:"lag" doc:"records behind the ends of this instance's partitions, growing while it is paused; <null>: not known, as without partitions"`
	Symbols    int64        `json:"symbols" doc:"of this instance's partitions, each once a topic, on however many of them it is"`
	Partitions int          `json:"partitions" doc:"that this instance audits"`
}

// partitionsView is the event "partitions": an array for each, which is a third
// of the bytes of objects where there are thousands.
type partitionsView struct {
	Topics []string   `json:"topics" doc:"names"`
	Rows   [][7]int64 `json:"rows" doc:"a list a partition: place of its topic in <topics>, partition, ticks, out of order, symbols, lag or -1, 1 when it stands still"`
	Hot    []hot      `json:"hot" doc:"<hot>: the busiest symbols"`
}

type hot struct {
	Topic     string  `json:"topic" doc:""`
	Partition int32   `json:"partition" doc:""`
	Share     float64 `json:"share" doc:"of the ticks of this instance's partitions"`
	Count
}

// state, partitions and history are the events' data.
func (b *Board) state() []byte {
	status := b.source.Status()
	v := stateView{
		Name: b.source.Name, Version: b.source.Version, Instance: status.Instance, State: b.source.State(),
		Ready: len(status.NotReady) == 0, Reasons: append([]string{}, status.NotReady[:min(len(status.NotReady), 10)]...),
		StateBy: status.StateBy, Open: status.Open, Topics: []*topicView{}, Partitions: len(status.Partitions),
		Symbols: b.source.Distinct(), Lag: status.lag(),
	}
	if !status.StateSince.IsZero() {
		since := status.StateSince.UnixMilli()
		v.StateSince = &since
	}
	for _, p := range status.Partitions {
		v.Ticks += p.Ticks
		v.Disorder += p.Disorder
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.samples.Rate); n > 0 {
		v.Rate = &b.samples.Rate[n-1]
	}
	v.Findings = b.stories()
	v.Open = max(v.Open, int64(len(b.open)))
	for _, t := range b.topics {
		v.Topics = append(v.Topics, t)
	}
	slices.SortFunc(v.Topics, func(x, y *topicView) int { return cmp.Compare(x.Topic, y.Topic) })
	return encode(v)
}

// lag is the sum of the partitions' lags, nil where it is not known.
func (s *Status) lag() *int64 {
	if len(s.Partitions) == 0 {
		return nil
	}
	var sum int64
	for _, p := range s.Partitions {
		if p.Lag < 0 {
			return nil
		}
		sum += p.Lag
	}
	return &sum
}

func (b *Board) partitions() []byte {
	v := partitionsView{Topics: []string{}, Rows: [][7]int64{}, Hot: []hot{}}
	var ticks int64
	for _, p := range b.source.Status().Partitions {
		at := slices.Index(v.Topics, p.Topic)
		if at < 0 {
			at = len(v.Topics)
			v.Topics = append(v.Topics, p.Topic)
		}
		stalled := int64(0)
		if p.Stalled {
			stalled = 1
		}
		v.Rows = append(v.Rows, [7]int64{int64(at), int64(p.Partition), p.Ticks, p.Disorder, p.Symbols, p.Lag, stalled})
		ticks += p.Ticks
	}
	for _, load := range b.source.Busiest(hotOf) {
		for _, c := range load.Symbols {
			v.Hot = append(v.Hot, hot{load.Topic, load.Partition, float64(c.Ticks) / float64(max(1, ticks)), c})
		}
	}
	slices.SortFunc(v.Hot, func(x, y hot) int {
		return cmp.Or(cmp.Compare(y.Ticks, x.Ticks), cmp.Compare(x.Symbol, y.Symbol), cmp.Compare(x.Partition, y.Partition))
	})
	v.Hot = v.Hot[:min(hotShown, len(v.Hot))]
	return encode(v)
}

func (b *Board) history() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return encode(&b.samples)
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("BUG: a view is no JSON: " + err.Error())
	}
	return data
}

// The events and how often each is looked at while somebody watches.
type event struct {
	name  string
	every time.Duration
	data  func(*Board) []byte
}

var events = []event{
	{"state", time.Second, (*Board).state},
	{"partitions", 2 * time.Second, (*Board).partitions},
	{"samples", sampleEvery, (*Board).history},
}
