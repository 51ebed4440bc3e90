package check

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// Status is how a check ended.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // the audit would run, but the topic or the audit is not as it should be
	Fail    Status = "fail"    // the audit would not start
	Unknown Status = "unknown" // could not be measured
)

// Check is one thing that was looked at.
type Check struct {
	Name     string `json:"name"`
	Status   Status `json:"status"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
	Action   string `json:"action"` // what to do; empty when nothing is to be done
}

// Needs are what the tick topics have to carry. The zero value of a number
// says that it is not known: what rests on it is not judged.
type Needs struct {
	TicksPerSecond float64       // at the peak
	BytesPerTick   float64       // as stored
	Consumers      int32         // members of the largest consumer group
	Keep           time.Duration // history that must stay readable
}

// nameReach is the check that all others rest on.
const nameReach = "reach"

// Unreachable is the error that kept everything from being looked at, "" when
// the cluster was reached.
func Unreachable(checks []Check) string {
	for _, c := range checks {
		if c.Name == nameReach && c.Status == Fail {
			return c.Observed
		}
	}
	return ""
}

// Run looks at everything that the configuration's audit needs, and at what
// the tick topics should be like. The decoder reads a sample of their values.
// Without a broker in reach there is one failed check, and the others are
// unknown.
func Run(ctx context.Context, c *config.Config, needs Needs, decoder codecs.TickDecoder) []Check {
	t := c.Topology()
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		checks := []Check{failed(nameReach, expectedReach, err)}
		for _, topic := range t.Topics {
			checks = append(checks, unknown(topicName(topic)))
		}
		for _, group := range t.Groups {
			checks = append(checks, unknown("group "+group.Name))
		}
		return checks
	}
	defer admin.Close()
	checks := reach(ctx, admin, c)
	seen, found := look(ctx, admin, c)
	checks = append(checks, found...)
	checks = append(checks, rights(ctx, admin, c, seen)...)
	for _, group := range t.Groups {
		checks = append(checks, groupFree(ctx, admin, group, c))
	}
	for _, topic := range c.Topics {
		if seen.readable(topic) {
			checks = append(checks, seen.settingsOf(topic, needs)...)
			checks = append(checks, sampled(ctx, c, decoder, topic, seen.counts[topic])...)
		}
	}
	checks = append(checks, schemas(ctx, c)...)
	return append(checks, watched(ctx, admin, c)...)
}

func groupFree(ctx context.Context, admin *kafka.Admin, group topology.Group, c *config.Config) Check {
	const expected = "free, or with members of this audit only"
	// To ask for a group that is not there would have a new cluster make its
	// offsets topic.
	if all, err := admin.ListGroups(ctx); err == nil {
		if _, there := all[group.Name]; !there {
			// Groups that may not be described are not listed.
			if has, err := admin.GroupRights(ctx, group.Name); err != nil || !has.May(kmsg.ACLOperationDescribe) {
				return Check{"group " + group.Name, Unknown, "may not be seen, if it is there", expected, "see the rights on group " + group.Name}
			}
			return Check{"group " + group.Name, OK, "free to join: there is no such group", expected, ""}
		}
	}
	if err := admin.GroupInUse(ctx, group.Name, c.InstanceID); err != nil {
		return failed("group "+group.Name, expected, err)
	}
	return Check{"group " + group.Name, OK, "free to join", expected, ""}
}

// failed is a check that ended in an error, with the next step that it tells.
func failed(name, expected string, err error) Check {
	action := "correct what was observed, then check again"
	var tells interface{ Try() string }
	if errors.As(err, &tells) && tells.Try() != "" && tells.Try() != "auditstream check" {
		action = tells.Try()
	}
	return Check{name, Fail, err.Error(), expected, action}
}

// unmeasured is a check whose question was not answered.
func unmeasured(name, expected string, err error) Check {
	c := failed(name, expected, err)
	c.Status = Unknown
	return c
}

func unknown(name string) Check {
	return Check{name, Unknown, "not measured: no broker in reach", "", "see the check " + nameReach}
}

func list(words []string) string { return strings.Join(words, ", ") }
