package htmlreport

import (
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// maxBins bounds the points of a chart. A longer time makes wider bins.
const maxBins = 480

// Page gathers reports. It is plain data, so that it can be saved as JSON
// while a replay goes on. The zero Page is empty.
type Page struct {
	Topics []*Topic
}

// Topic is what the page shows of one topic.
type Topic struct {
	Name  string
	Width int64 // of a bin in nanoseconds, 0 before the first
	Bins  []Bin // ascending by Start
	Final *engine.Report
}

// Bin is what lies between two times.
type Bin struct {
	Start   int64
	Ticks   int64
	Faulty  int64 // unreadable and unusable records, and ticks out of order
	Skew    float64
	Records int64
}

// Add takes a report; they may come in any order.
func (p *Page) Add(r *engine.Report) {
	t := p.topic(r.Topic)
	if r.Trigger == engine.TriggerFinal {
		t.Final = r
	}
	if r.Trigger != engine.TriggerInterval || r.WindowStart == engine.NoTime {
		return
	}
	if t.Width == 0 {
		t.Width = max(1, int64(r.WindowEnd)-int64(r.WindowStart))
	}
	b := t.bin(int64(r.WindowStart))
	if r.Scope == engine.ScopeTopic {
		b.Skew = max(b.Skew, r.SkewRatio)
	} else {
		b.Ticks += r.Counts.Ticks
		b.Records += r.Counts.Records
		b.Faulty += r.Counts.Unreadable + r.Counts.Unusable + r.Counts.Disorder
	}
	for len(t.Bins) > maxBins {
		t.widen()
	}
}

func (p *Page) topic(name string) *Topic {
	for _, t := range p.Topics {
		if t.Name == name {
			return t
		}
	}
	t := &Topic{Name: name}
	p.Topics = append(p.Topics, t)
	return t
}

// bin finds or makes the bin of a time. Most times are at the end.
func (t *Topic) bin(at int64) *Bin {
	start := at - at%t.Width
	i := len(t.Bins)
	for i > 0 && t.Bins[i-1].Start > start {
		i--
	}
	if i > 0 && t.Bins[i-1].Start == start {
		return &t.Bins[i-1]
	}
	t.Bins = slices.Insert(t.Bins, i, Bin{Start: start})
	return &t.Bins[i]
}

// widen makes bins twice as wide.
func (t *Topic) widen() {
	old := t.Bins
	t.Bins, t.Width = nil, 2*t.Width
	for _, o := range old {
		b := t.bin(o.Start)
		b.Ticks += o.Ticks
		b.Records += o.Records
		b.Faulty += o.Faulty
		b.Skew = max(b.Skew, o.Skew)
	}
}
