package processors

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/auditstream/auditstream/engine"
)

// describe asks for members and states. Without the right to, they are not
// known; offsets are.
func (w *lagWatch) describe(ctx context.Context, groups []*watchedGroup) {
	var classic, consumer []string
	for _, g := range groups {
		switch {
		case g.gone:
		case g.kind == "consumer":
			consumer = append(consumer, g.name)
		default:
			classic = append(classic, g.name)
		}
	}
	if len(classic) > 0 {
		described, _ := w.admin.DescribeGroups(ctx, classic...) // what failed is not in it
		for _, d := range described {
			if g := w.groups[d.Group]; g != nil {
				g.describedClassic(d)
			}
		}
	}
	if len(consumer) > 0 {
		described, _ := w.admin.DescribeConsumerGroups(ctx, consumer...)
		for _, d := range described {
			if g := w.groups[d.Group]; g != nil {
				g.describedConsumer(d)
			}
		}
	}
}

func (g *watchedGroup) describedClassic(d kadm.DescribedGroup) {
	if d.Err != nil || d.State == "Dead" {
		g.members = engine.Unknown // of a newer protocol, or gone: the next listing tells
		return
	}
	g.state, g.protocol, g.members = d.State, d.Protocol, len(d.Members)
	var members []string
	for _, m := range d.Members {
		members = append(members, m.MemberID)
	}
	g.assigned(d.AssignedPartitions())
	// A cooperative group gives partitions away in one round and takes them in
	// the next: only a change of members is a rebalance of its own.
	g.rebalances.cooperative = strings.Contains(d.Protocol, "cooperative")
	g.rebalances.observe(len(d.Members), d.State == "PreparingRebalance" || d.State == "CompletingRebalance", members, monotonic())
}

func (g *watchedGroup) describedConsumer(d kadm.DescribedConsumerGroup) {
	if d.Err != nil {
		g.members = engine.Unknown
		return
	}
	g.state, g.protocol, g.members = d.State, d.AssignorName, len(d.Members)
	g.assigned(d.AssignedPartitions())
	// Every change of members or partitions is a new epoch of the group.
	epoch := []string{strconv.Itoa(int(d.Epoch))}
	g.rebalances.observe(len(d.Members), false, epoch, monotonic())
}

func (g *watchedGroup) assigned(topics kadm.TopicsSet) {
	for topic := range topics {
		g.reads[topic] = true
	}
}

// rebalanceWatch tells rebalances of a group from what descriptions show: the
// group is rebalancing, or its members have changed since it last was not.
// Two within a second are seen as one.
type rebalanceWatch struct {
	known       bool
	cooperative bool   // counted by their members alone, when they have settled
	settled     string // who was in it when it was not rebalancing, "": nobody
	rebalancing bool
	times       []int64 // ascending, monotonic
}

// rebalancesKept is how many times of rebalances are kept; a storm is over
// long before a watch that began at the last of them.
const rebalancesKept = 64

func (r *rebalanceWatch) observe(members int, rebalancing bool, who []string, now int64) {
	present := ""
	if members > 0 && !rebalancing {
		slices.Sort(who)
		present = strings.Join(who, "\x00")
	}
	began := rebalancing && !r.rebalancing && !r.cooperative && r.settled != ""
	missed := !rebalancing && (r.cooperative || !r.rebalancing) && r.settled != "" && present != "" && present != r.settled
	if r.known && (began || missed) {
		r.times = append(r.times, now)
		r.times = r.times[max(0, len(r.times)-rebalancesKept):]
	}
	r.known, r.rebalancing = true, rebalancing
	if !rebalancing {
		r.settled = present
	}
}
