package livepage

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// stateView is the event "state".
type stateView struct {
	Name       string       `json:"name"`
	Version    string       `json:"version"`
	Instance   string       `json:"instance"`
	State      string       `json:"state"`
	StateSince *int64       `json:"state_since_ms"`
	StateBy    string       `json:"state_by"`
	Ready      bool         `json:"ready"`
	Reasons    []string     `json:"reasons"`
	Open       int64        `json:"open"`
	Findings   []*story     `json:"findings"`
	Topics     []*topicView `json:"topics"`
	Ticks      int64        `json:"ticks"`
	Rate       *float64     `json:"rate"`
	Disorder   int64        `json:"disorder"`
	Lag        *int64       `json:"lag"`
	Symbols    int64        `json:"symbols"`
	Partitions int          `json:"partitions"`
}

// partitionsView is the event "partitions": an array for each, which is a third
// of the bytes of objects where there are thousands.
type partitionsView struct {
	Topics []string   `json:"topics"`
	Rows   [][7]int64 `json:"rows"` // topic by place, partition, ticks, disorder, symbols, lag or -1, 1 when it stands still
	Hot    []hot      `json:"hot"`
}

type hot struct {
	Topic     string  `json:"topic"`
	Partition int32   `json:"partition"`
	Share     float64 `json:"share"` // of the ticks of this process's partitions
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
