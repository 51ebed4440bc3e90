package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// WatchedGroup is what the state remembers of a watched group on a partition.
type WatchedGroup struct {
	TopicGroup
	Group     string
	Partition int32
	Gone      Time // since when its offsets are known to be gone, NoTime: they are not
}

// Watched lists what the state remembers of watched groups, by group and
// partition. A caller that samples groups must sample these too, whether they
// are there or not: what is gone is told by comparison with it.
func (t *Topic) Watched() []WatchedGroup {
	gone := map[string]Time{}
	for subject := range t.open {
		f := t.find(subject)
		lost := strings.HasPrefix(subject, "offset/"+kindExpired+"/") || strings.HasPrefix(subject, "offset/"+kindRecreated+"/")
		if since, known := gone[f.Group]; lost && (!known || f.FirstTime < since) {
			gone[f.Group] = f.FirstTime
		}
	}
	all := make([]WatchedGroup, 0, len(t.lag))
	for key, l := range t.lag {
		number, group, _ := strings.Cut(key, "/")
		partition, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			continue
		}
		w := WatchedGroup{l.TopicGroup, group, int32(partition), NoTime}
		if since, known := gone[group]; known {
			w.Gone = since
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b WatchedGroup) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), cmp.Compare(a.Partition, b.Partition))
	})
	return all
}

// unwatch ends what is open about groups that are watched no longer, and
// forgets them. Groups whose rebalances are told are watched by their caller.
func (t *Topic) unwatch(watched map[string]bool, now int64) {
	for _, subject := range t.subjects() {
		f := t.find(subject)
		kind, _, _ := strings.Cut(subject, "/")
		_, told := t.rebalanced[f.Group]
		if f.Group == "" || watched[f.Group] || kind == "storm" && told || !slices.Contains([]string{"lag", "offset", "storm"}, kind) {
			continue
		}
		if f.FirstTime != NoTime {
			f.LastTime = Time(now)
		}
		f.Evidence["ended"] = "the group is watched no longer"
		t.close(subject)
	}
	for key := range t.lag {
		if _, group, _ := strings.Cut(key, "/"); !watched[group] {
			delete(t.lag, key)
			t.changed["g/"+key] = true
		}
	}
}
