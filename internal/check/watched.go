package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/processors"
)

// watched says which groups consumer.lag.groups finds, and how each stands, by
// the judgement of a run.
func watched(ctx context.Context, admin *kafka.Admin, c *config.Config) []Check {
	if len(c.ConsumerLagGroups) == 0 {
		return nil
	}
	g := grants{ctx, admin, Granting(c.BootstrapServers[0], kafka.Principal(c))}
	groups, err := standing(ctx, c)
	if err != nil {
		result := unmeasured("watched groups", "exist and read the topics", err)
		if errors.Is(err, kerr.TopicAuthorizationFailed) {
			result.Action = g.toSee(c.Topics)
		}
		return []Check{result}
	}
	var checks []Check
	for _, name := range c.ConsumerLagGroups {
		if re, err := regexp.Compile("^(?:" + name + ")$"); err == nil && !slices.ContainsFunc(groups, func(s *standingGroup) bool {
			return s.state != engine.GroupAbsent && re.MatchString(s.name)
		}) {
			checks = append(checks, g.unmatched(name))
		}
	}
	for _, s := range groups {
		if s.state != engine.GroupAbsent {
			checks = append(checks, s.check(g, c))
		}
	}
	return checks
}

// standingGroup is a watched group on all tick topics.
type standingGroup struct {
	name, kind, state string
	partitions        int // with a committed offset
	without           int // without one
	total, worst      int64
	unknown           string // why an offset could not be read
	findings          []engine.Finding
}

// standing samples the groups once and has each judged, ascending by name.
func standing(ctx context.Context, c *config.Config) ([]*standingGroup, error) {
	options, err := kafka.AdminOptions(c)
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	sample, err := processors.SampleGroups(ctx, client, c.Topology().Name, c.ConsumerLagGroups, c.Topics)
	if err != nil {
		return nil, err
	}
	limits := engine.DefaultLimits()
	limits.MaxLagTicks, limits.MaxLag = c.MaxLagTicks, c.MaxLag
	groups := map[string]*standingGroup{}
	for _, topic := range c.Topics {
		samples := sample.Topics[topic]
		for i := range samples {
			s := &samples[i]
			if groups[s.Group] == nil {
				groups[s.Group] = &standingGroup{name: s.Group, kind: s.GroupType, state: s.State}
			}
			groups[s.Group].add(s)
		}
		judge := engine.NewTopic(topic, 0, &limits)
		judge.ObserveLag(samples, sample.At.UnixNano())
		for _, r := range judge.Snapshot().Reports {
			for _, f := range r.Findings {
				groups[f.Group].findings = append(groups[f.Group].findings, f)
			}
		}
	}
	var sorted []*standingGroup
	for _, s := range groups {
		slices.SortStableFunc(s.findings, func(a, b engine.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
		sorted = append(sorted, s)
	}
	slices.SortFunc(sorted, func(a, b *standingGroup) int { return strings.Compare(a.name, b.name) })
	return sorted, nil
}

func (s *standingGroup) add(one *engine.LagSample) {
	lag := one.Lag()
	switch {
	case one.Failed != "":
		s.unknown = one.Failed
	case one.Committed == engine.Unknown:
		s.without++
	case lag != engine.Unknown:
		s.partitions++
		s.total, s.worst = s.total+lag, max(s.worst, lag)
	}
}

func (s *standingGroup) check(g grants, c *config.Config) Check {
	kind := strings.ToLower(s.kind + ", " + s.state)
	result := Check{"watched group " + s.name, OK, kind, fmt.Sprintf("at most %s and %s behind on any partition, with offsets that can be true", engine.Plural(c.MaxLagTicks, "record"), c.MaxLag), ""}
	switch {
	case len(s.findings) > 0:
		f := &s.findings[0]
		result.Status, result.Action = Warn, f.Action
		if f.Severity == engine.Critical {
			result.Status = Fail
		}
		result.Observed = f.Code.String()
		if of, ok := f.Evidence["kind"].(string); ok {
			result.Observed += " " + of
		}
		result.Observed += ": " + f.Cause
		if n := len(s.findings) - 1; n > 0 {
			result.Observed += fmt.Sprintf("; and %d more", n)
		}
		return result
	case s.unknown != "":
		result.Status, result.Observed, result.Action = Unknown, s.unknown, "see what the broker says, then check again"
		if has, err := g.admin.GroupRights(g.ctx, s.name); err == nil && !has.May(kmsg.ACLOperationDescribe) {
			result.Action = g.grant([]kmsg.ACLOperation{kmsg.ACLOperationDescribe}, "--group", s.name)
		}
		return result
	case s.partitions == 0:
		result.Status, result.Observed = Warn, kind+"; it has committed nothing of these topics"
		result.Action = "correct consumer.lag.groups, or let the group commit its offsets"
		return result
	}
	result.Observed = fmt.Sprintf("%s; %s behind on %s, %d at most on one", kind, engine.Plural(s.total, "record"), engine.Plural(int64(s.partitions), "partition"), s.worst)
	if s.without > 0 {
		result.Observed += fmt.Sprintf("; nothing committed on %d", s.without)
	}
	return result
}

// unmatched is the check of a name or pattern by which no group is found.
func (g grants) unmatched(name string) Check {
	result := Check{"watched group " + name, Warn, "no group that may be seen has that name", "exists and reads the topics", ""}
	group := []string{"--group", name}
	if strings.ContainsAny(name, `*+?()[]{}|^$\`) {
		result.Observed = "no group that may be seen matches it and reads the topics"
		group = []string{"--group", "*"}
		if prefix, _ := regexp.MustCompile(name).LiteralPrefix(); prefix != "" && !strings.Contains(name, "|") {
			group = []string{"--group", prefix, "--resource-pattern-type", "prefixed"}
		}
	}
	result.Action = "correct consumer.lag.groups, start the group, or let this audit see it: " + g.grant([]kmsg.ACLOperation{kmsg.ACLOperationDescribe}, group...)
	return result
}

// toSee are the commands by which the topics may be described.
func (g grants) toSee(topics []string) string {
	var commands []string
	has, err := g.admin.TopicRights(g.ctx, topics...)
	for _, topic := range topics {
		if err != nil || has[topic].Refused {
			commands = append(commands, g.grant([]kmsg.ACLOperation{kmsg.ACLOperationDescribe}, "--topic", topic))
		}
	}
	return strings.Join(commands, "; ")
}
