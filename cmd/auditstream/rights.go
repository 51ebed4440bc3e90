package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// withRights adds to an error that came of a missing right which rights the
// user lacks, and the commands that grant them. Clients tell the kind of the
// resource at most.
func withRights(ctx context.Context, c *config.Config, t topology.Topology, transactions bool, err error) error {
	if !kafka.Unauthorized(err) {
		return err
	}
	var missing, commands []string
	for _, right := range check.Missing(ctx, c, t, transactions) {
		missing = append(missing, fmt.Sprintf("\n  %s: %s", right.Name, right.Observed))
		commands = append(commands, "\n  "+right.Action)
	}
	if len(missing) == 0 {
		return err
	}
	return &kafka.Error{
		Configuration: true,
		Err:           fmt.Errorf("%w%s", err, strings.Join(missing, "")),
		Next:          "grant the user what is missing:" + strings.Join(commands, ""),
	}
}
