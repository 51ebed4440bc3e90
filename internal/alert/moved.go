package alert

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// adopt takes over alerts of which a report tells that lies on another
// partition than those before: the audit topic has grown, and its keys lie
// elsewhere since.
func (b *bridge) adopt(partition int32, p *part, r *engine.Report) {
	for i := range r.Findings {
		id := r.Findings[i].ID
		if p.alerts[id] != nil {
			continue
		}
		for from, other := range b.parts {
			a := other.alerts[id]
			if a == nil || from == partition {
				continue
			}
			a.Offset = -1 // of the other partition
			p.alerts[id], p.moved[id] = a, from
			p.told[id] = !a.Resolved && (other.told[id] || !other.quiet)
			delete(other.alerts, id)
			break
		}
	}
}

// leftBehind are the rows that alerts of a step had on other partitions.
func (b *bridge) leftBehind(s *step) []*kgo.Record {
	p := b.parts[s.partition]
	if p == nil {
		return nil
	}
	var rows []*kgo.Record
	for i := range s.alerts {
		id := s.alerts[i].Finding.ID
		if from, moved := p.moved[id]; moved {
			rows = append(rows, &kgo.Record{Topic: b.Table, Partition: from, Key: []byte(id)})
		}
	}
	return rows
}

// onlyOnce drops alerts that are open in one part and over in another: a life
// was killed before it had removed the row left behind.
func onlyOnce(parts map[int32]*part) {
	for _, p := range parts {
		for id, a := range p.alerts {
			if !a.Resolved && over(parts, id) {
				delete(p.alerts, id)
			}
		}
	}
}

func over(parts map[int32]*part, id string) bool {
	for _, p := range parts {
		if a := p.alerts[id]; a != nil && a.Resolved {
			return true
		}
	}
	return false
}
