package processors

import (
	"regexp"
	"slices"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// groupEnded is how long a group must be gone to be taken for one that will
// not come back. It is watched no longer then.
const groupEnded = 7 * 24 * time.Hour

// group is the watched group of a name.
func (w *lagWatch) group(name string) *watchedGroup {
	g := w.groups[name]
	if g == nil {
		g = &watchedGroup{name: name, members: engine.Unknown, reads: map[string]bool{}, held: map[place]heldCommit{}, cuts: map[place]foundCut{}}
		w.groups[name] = g
	}
	return g
}

// recall is told by the state of a topic which groups were watched before. A
// sample that was taken without them is dropped: those that are gone would look
// like groups that are watched no longer.
func (w *lagWatch) recall(topic string, groups []engine.WatchedGroup) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recalled = append(w.recalled, recalled{topic, groups})
	w.recalls++
	w.latest = lagSample{}
}

// recalled is what the state of a topic knows of groups.
type recalled struct {
	topic  string
	groups []engine.WatchedGroup
}

// takeRecalled takes up what was recalled since the last round, and says how
// often that was.
func (w *lagWatch) takeRecalled() int {
	w.mu.Lock()
	all, recalls := w.recalled, w.recalls
	w.recalled = nil
	w.mu.Unlock()
	for _, r := range all {
		for _, known := range r.groups {
			if slices.Contains(w.own, known.Group) || !slices.ContainsFunc(w.names, func(re *regexp.Regexp) bool { return re.MatchString(known.Group) }) {
				continue
			}
			g := w.group(known.Group)
			g.named, g.reads[r.topic] = g.named || slices.Contains(w.given, known.Group), true
			g.recall(place{r.topic, known.Partition}, &known)
			if known.Gone != engine.NoTime && g.goneSince.IsZero() {
				g.goneSince = time.Unix(0, int64(known.Gone))
			}
			w.listed = time.Time{} // is it there?
		}
	}
	return recalls
}

// age notes since when a group is gone, and drops it after long.
func (w *lagWatch) age(g *watchedGroup) {
	switch {
	case !g.gone:
		g.goneSince = time.Time{}
	case g.goneSince.IsZero():
		g.goneSince = time.Now()
	case time.Since(g.goneSince) >= groupEnded:
		delete(w.groups, g.name)
	}
}
