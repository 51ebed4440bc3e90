package processors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
)

// watchedGroup is a group that a name in consumer.lag.groups matches. One that
// is deleted, or whose offsets have all expired, is remembered: its commits
// are gone, which is a finding.
type watchedGroup struct {
	name        string
	named       bool   // by its very name, not by a pattern
	kind        string // classic or consumer (KIP-848)
	gone        bool   // no longer listed
	state       string
	protocol    string // the assignor
	coordinator int32
	members     int             // engine.Unknown: not told
	goneSince   time.Time       // zero: it is not
	reads       map[string]bool // topics that it has committed offsets of, or has members on
	held        map[place]heldCommit
	cuts        map[place]foundCut // of logs, below its commits
	rebalances  rebalanceWatch
}

// findGroups looks for groups by name; names that no group has are absent.
func (w *lagWatch) findGroups(ctx context.Context) error {
	if time.Since(w.listed) < groupsEvery {
		return nil
	}
	all, err := w.admin.ListGroups(ctx)
	partial := err != nil
	if err = unlessPartial(err); err != nil {
		return fmt.Errorf("list groups: %w", err)
	}
	w.listed = time.Now()
	for _, g := range w.groups {
		g.gone = g.gone || !partial // a broker that did not answer may have it
	}
	matched := make([]bool, len(w.names))
	for _, listed := range all.Sorted() {
		for i, re := range w.names {
			if !re.MatchString(listed.Group) || slices.Contains(w.own, listed.Group) || !commitsOffsets(listed.GroupType, listed.ProtocolType) {
				continue
			}
			matched[i] = true
			g := w.group(listed.Group)
			g.gone, g.kind, g.state = false, strings.ToLower(cmp.Or(listed.GroupType, "classic")), listed.State
			g.coordinator, g.named = listed.Coordinator, g.named || w.given[i] == listed.Group
		}
	}
	for _, g := range w.groups {
		w.age(g)
	}
	w.absent = nil
	for i, name := range w.given {
		if known := w.groups[name]; !matched[i] && known == nil && !partial {
			w.absent = append(w.absent, name)
		}
	}
	return nil
}

// commitsOffsets leaves out groups that have none: share groups, and what
// Connect's workers and others form among themselves.
func commitsOffsets(kind, protocol string) bool {
	return !strings.EqualFold(kind, "share") && (protocol == "" || protocol == "consumer")
}

func (w *lagWatch) sortedGroups() []*watchedGroup {
	var groups []*watchedGroup
	for _, g := range w.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *watchedGroup) int { return strings.Compare(a.name, b.name) })
	return groups
}

// groupCommits are a group's committed offsets.
type groupCommits struct {
	err     error // none could be read
	offsets map[place]int64
	failed  map[place]error
}

// commits asks for the offsets of all groups. Stable ones are not asked for:
// while a transaction's commit is under way, the one before it holds.
func (w *lagWatch) commits(ctx context.Context, groups []*watchedGroup) map[string]*groupCommits {
	all := map[string]*groupCommits{}
	request := kmsg.NewPtrOffsetFetchRequest()
	for _, g := range groups {
		all[g.name] = &groupCommits{err: errors.New("no answer"), offsets: map[place]int64{}, failed: map[place]error{}}
		one := kmsg.NewOffsetFetchRequestGroup()
		one.Group = g.name
		request.Groups = append(request.Groups, one)
	}
	if len(groups) == 0 {
		return all
	}
	for _, shard := range w.client.RequestSharded(ctx, request) {
		if shard.Err != nil {
			if asked, ok := shard.Req.(*kmsg.OffsetFetchRequest); ok {
				for _, g := range asked.Groups {
					all[g.Group].err = shard.Err
				}
			}
			continue
		}
		response, ok := shard.Resp.(*kmsg.OffsetFetchResponse)
		if !ok {
			continue
		}
		for _, g := range response.Groups {
			if c := all[g.Group]; c != nil {
				c.take(g)
			}
		}
	}
	return all
}

func (c *groupCommits) take(g kmsg.OffsetFetchResponseGroup) {
	c.err = kerr.ErrorForCode(g.ErrorCode)
	if errors.Is(c.err, kerr.GroupIDNotFound) {
		c.err = nil // it has committed nothing
	}
	for _, topic := range g.Topics {
		for _, p := range topic.Partitions {
			where := place{topic.Topic, p.Partition}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				c.failed[where] = err
			} else if p.Offset >= 0 {
				c.offsets[where] = p.Offset
			}
		}
	}
}

// sampleGroup adds a group's samples of the topics that it reads. One that was
// named and reads none of them is sampled on all, so that it is told as
// unknown; one that a pattern matched is not looked at then.
func (w *lagWatch) sampleGroup(sample *lagSample, g *watchedGroup, commits *groupCommits, logs logs) {
	for where := range commits.offsets {
		g.reads[where.topic] = true
	}
	readsAny := false
	for _, topic := range w.topics {
		readsAny = readsAny || g.reads[topic]
	}
	for _, l := range logs.sorted() {
		if !g.reads[l.topic] && (readsAny || !g.named) {
			continue
		}
		where := place{l.topic, l.partition}
		s := engine.LagSample{
			Group: g.name, Partition: l.partition, Committed: engine.Unknown, Start: l.start, End: l.end, Open: l.open(),
			Compacted: w.compacted[l.topic], TopicID: l.idText(), Members: g.members, GroupType: g.kind, State: g.state,
		}
		if g.gone {
			s.State, s.Members = engine.GroupAbsent, engine.Unknown
		}
		if offset, ok := commits.offsets[where]; ok {
			s.Committed, s.Cut = offset, g.cut(where)
			if h := g.held[where]; h.committed == offset && h.topicID == s.TopicID {
				s.Epoch = &h.epoch
			}
		}
		if err := cmp.Or(commits.failed[where], commits.err); err != nil {
			s.Failed = err.Error()
		}
		if l.another {
			s.Failed = "the topic was deleted or made anew"
		}
		sample.add(l.topic, s)
	}
}
