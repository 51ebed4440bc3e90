package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// Status is how a check ended.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // the audit would run, but not as it should
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

// Run looks at everything that the configuration's audit needs. Without a
// broker in reach there is one failed check, and the others are unknown.
func Run(ctx context.Context, c *config.Config) []Check {
	t := c.Topology()
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		checks := []Check{failed("reach", "a broker answers", err)}
		for _, topic := range t.Topics {
			checks = append(checks, unknown(topicName(topic)))
		}
		for _, group := range t.Groups {
			checks = append(checks, unknown("group "+group.Name))
		}
		return checks
	}
	defer admin.Close()
	checks := []Check{reach(ctx, admin, c)}
	checks = append(checks, topics(ctx, admin, t)...)
	for _, group := range t.Groups {
		checks = append(checks, groupFree(ctx, admin, group, c))
	}
	return checks
}

// reach says how many brokers there are.
func reach(ctx context.Context, admin *kafka.Admin, c *config.Config) Check {
	const expected = "a broker answers"
	metadata, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return failed("reach", expected, err)
	}
	observed := fmt.Sprintf("brokers by %s: %d", strings.Join(c.BootstrapServers, ","), len(metadata.Brokers))
	return Check{"reach", OK, observed, expected, ""}
}

func groupFree(ctx context.Context, admin *kafka.Admin, group topology.Group, c *config.Config) Check {
	const expected = "free, or with members of this audit only"
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

func unknown(name string) Check {
	return Check{name, Unknown, "not measured: no broker in reach", "", "see the check reach"}
}
