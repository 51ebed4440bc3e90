package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
)

const (
	expectedReach = "a broker answers"
	// slowBroker is the round trip above which a checkpoint, which takes
	// several, would be late for the default interval of a second.
	slowBroker = 100 * time.Millisecond
)

// reach says which brokers there are, how fast each answers and what version
// each is.
func reach(ctx context.Context, admin *kafka.Admin, c *config.Config) []Check {
	brokers, err := admin.Brokers(ctx)
	if err != nil {
		return []Check{failed(nameReach, expectedReach, err)}
	}
	observed := fmt.Sprintf("%s by %s", engine.Plural(int64(len(brokers)), "broker"), strings.Join(c.BootstrapServers, ","))
	checks := []Check{{nameReach, OK, observed, expectedReach, ""}}
	var versions, old []string
	for _, b := range brokers {
		checks = append(checks, brokerCheck(b))
		if b.Err == nil && !b.Fences {
			old = append(old, fmt.Sprintf("broker %d", b.ID))
		}
		if b.Err == nil && !slices.Contains(versions, b.Version) {
			versions = append(versions, b.Version)
		}
	}
	return append(checks, versionCheck(versions, old))
}

func brokerCheck(b kafka.Broker) Check {
	result := Check{fmt.Sprintf("broker %d", b.ID), OK, "", "answers within " + slowBroker.String(), ""}
	switch {
	case b.Err != nil:
		result.Status = Fail
		result.Observed = fmt.Sprintf("%s does not answer: %v", b.Address, b.Err)
		result.Action = "see whether the broker runs, and whether its advertised listener " + b.Address + " can be reached from here"
		return result
	case b.Latency > slowBroker:
		result.Status, result.Action = Warn, "run the audit nearer to the brokers, or raise checkpoint.interval.ms"
	}
	result.Observed = fmt.Sprintf("%s answers in %s", b.Address, b.Latency.Round(10*time.Microsecond))
	if b.Rack != "" {
		result.Observed += ", rack " + b.Rack
	}
	return result
}

// versionCheck holds brokers against what exactly_once_v2 needs (KIP-447).
func versionCheck(versions, old []string) Check {
	result := Check{"versions", OK, list(versions), "one version, 2.5 or later", ""}
	switch {
	case len(versions) == 0:
		result.Status, result.Observed, result.Action = Unknown, "no broker told its version", "see the checks of the brokers"
	case len(old) > 0:
		result.Status = Fail
		result.Observed += ": " + list(old) + " cannot fence a transaction by its group"
		result.Action = "upgrade the brokers to 2.5 or later, or set processing.guarantee=at_least_once"
	case len(versions) > 1:
		result.Status, result.Action = Warn, "finish the upgrade of the brokers"
	}
	return result
}
