package processors

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/auditstream/auditstream/engine"
)

// heldCommit is a commit that a log of that leader epoch held: the log had
// everything below it. Should that epoch be found to have ended earlier (as
// KIP-320 lets one ask), the log was cut below the commit, however far it has
// grown since. The epochs that clients commit are not asked about: some send on
// an old one with each commit.
type heldCommit struct {
	topicID   string
	committed int64
	epoch     int32
}

// logMark is how far a log reached at the last sample.
type logMark struct {
	topicID string
	end     int64
	epoch   int32
}

// foundCut is told with every sample for a while: not each one is judged.
type foundCut struct {
	engine.LogCut
	at time.Time
}

const cutToldFor = 2 * lagUnasked

// recall takes up what was durable of a commit.
func (g *watchedGroup) recall(where place, known *engine.WatchedGroup) {
	h, later := g.held[where]
	if known.Epoch != nil && known.Committed != engine.Unknown && (!later || *known.Epoch < h.epoch) {
		g.held[where] = heldCommit{known.TopicID, known.Committed, *known.Epoch}
	}
}

// findCuts asks of each log that has another leader than before where the
// epochs before it end, and what commits lie beyond that.
func (w *lagWatch) findCuts(ctx context.Context, groups []*watchedGroup, commits map[string]*groupCommits, logs logs) {
	ends := w.epochEnds(ctx, groups, logs)
	for _, g := range groups {
		for where, committed := range commits[g.name].offsets {
			if l := logs[where]; l != nil && l.reaches() {
				w.hold(g, l, committed, ends)
			}
		}
	}
	for where, l := range logs {
		if l.reaches() {
			w.marks[where] = logMark{l.idText(), l.end, l.epoch}
		}
	}
}

// reaches reports whether it is known how far the log reaches, under which
// leader.
func (l *logState) reaches() bool { return !l.another && l.epoch >= 0 && l.end >= 0 }

// hold judges the commit that was held last, and holds the one of now.
func (w *lagWatch) hold(g *watchedGroup, l *logState, committed int64, ends map[epochKey]int64) {
	where := place{l.topic, l.partition}
	h := g.held[where]
	if h.of(l) && h.epoch < l.epoch {
		to, told := ends[epochKey{where, h.epoch}]
		if !told {
			return // to be asked again
		}
		read := h.committed
		if m := w.marks[where]; m.topicID == h.topicID && m.epoch == h.epoch {
			read = max(read, min(committed, m.end)) // committed since, of what the log held then
		}
		if cut := (engine.LogCut{To: to, Read: read}); to < read && g.cuts[where].To != to {
			g.cuts[where] = foundCut{cut, time.Now()}
		}
	}
	if committed <= l.end {
		g.held[where] = heldCommit{l.idText(), committed, l.epoch}
	}
}

// of reports whether the commit was of that log. Without ids it cannot be told
// from one of another topic of that name.
func (h heldCommit) of(l *logState) bool { return h.topicID != "" && h.topicID == l.idText() }

// cut is the cut to tell of a partition, nil: none.
func (g *watchedGroup) cut(where place) *engine.LogCut {
	c, found := g.cuts[where]
	if !found || time.Since(c.at) > cutToldFor {
		return nil
	}
	return &c.LogCut
}

type epochKey struct {
	place
	epoch int32
}

// epochEnds asks where the epochs end under which commits were held, of logs
// that are of a later one. Those that could not be told are left out.
func (w *lagWatch) epochEnds(ctx context.Context, groups []*watchedGroup, logs logs) map[epochKey]int64 {
	requests := map[int32]kadm.OffsetForLeaderEpochRequest{} // one names an epoch a partition
	for _, g := range groups {
		for where, h := range g.held {
			if l := logs[where]; l != nil && l.reaches() && h.of(l) && h.epoch < l.epoch {
				request := requests[h.epoch]
				request.Add(where.topic, where.partition, h.epoch)
				requests[h.epoch] = request
			}
		}
	}
	ends := map[epochKey]int64{}
	for epoch, request := range requests {
		answer, _ := w.admin.OffsetForLeaderEpoch(ctx, request) // what failed is not in it
		for topic, partitions := range answer {
			for partition, one := range partitions {
				if one.Err == nil && one.EndOffset >= 0 {
					ends[epochKey{place{topic, partition}, epoch}] = one.EndOffset
				}
			}
		}
	}
	return ends
}
