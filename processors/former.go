package processors

import (
	"maps"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// formerLogs is what rows say of topics that had the name before the present
// one. At least once, a process that has stood still writes such a row long
// after the present topic's first, so which of them came last tells nothing.
type formerLogs struct {
	byLog map[uint32]*engine.Partition // by engine.LogOf the topic's id
	last  *engine.Partition            // whose partition's row came last
}

// about is the state to which a row of the log belongs: one that does not say
// of which it is belongs to the present one.
func (u *symbols) about(log uint32, isPartition bool) *engine.Partition {
	present := engine.LogOf(u.cfg.prepared.TopicIDs[u.topic])
	if log == 0 || present == 0 || log == present {
		return u.judge
	}
	f := &u.former
	if f.byLog == nil {
		f.byLog = map[uint32]*engine.Partition{}
	}
	p := f.byLog[log]
	if p == nil {
		p = u.fresh()
		f.byLog[log] = p
	}
	if isPartition {
		f.last = p
	}
	return p
}

// takeFormer has the rows of former topics deleted, or written again where the
// present one has its own. Where nothing is known of the present one yet, it
// is to succeed the last of them.
func (u *symbols) takeFormer() {
	former := u.former
	u.former = formerLogs{}
	for _, log := range slices.Sorted(maps.Keys(former.byLog)) {
		for _, symbol := range former.byLog[log].SymbolNames() {
			if !u.judge.Rewrite(symbol) {
				u.obsolete = append(u.obsolete, symbol)
			}
		}
	}
	if former.last != nil && u.judge.TopicID() == "" {
		u.obsolete = append(u.obsolete, u.judge.SymbolNames()...)
		u.judge = former.last
	}
}
