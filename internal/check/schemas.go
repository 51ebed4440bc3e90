package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/registry"
)

const nameRegistry = "schema registry"

// schemas says whether the registry answers, and what it knows of the values
// of the tick topics. Other strategies name subjects otherwise, so a subject
// that is not there is a warning only.
func schemas(ctx context.Context, c *config.Config) []Check {
	if len(c.Registry.URLs) == 0 {
		return nil
	}
	const expected = "answers, and takes the credentials"
	servers, err := registry.ServersOf(&c.Registry)
	if err != nil {
		return []Check{failed(nameRegistry, expected, err)}
	}
	subjects, err := registry.Subjects(ctx, &servers, c.Topics)
	if err != nil {
		return []Check{failed(nameRegistry, expected, err)}
	}
	checks := []Check{{nameRegistry, OK, "answers at " + strings.Join(c.Registry.Addresses(), ", "), expected, ""}}
	for _, s := range subjects {
		checks = append(checks, subjectCheck(&s))
	}
	return checks
}

func subjectCheck(s *registry.Subject) Check {
	result := Check{"subject " + s.Name, OK, "", "a schema, and a compatibility that lets readers go on", ""}
	level := s.Compatibility
	if level == "" {
		level = "not told"
	}
	if s.Version == 0 {
		result.Status, result.Observed = Warn, "no schema, compatibility "+level
		result.Action = "nothing if producers name subjects by the record, or write no schema; otherwise see which registry they register in"
		return result
	}
	result.Observed = fmt.Sprintf("%s, version %d, id %d, compatibility %s", s.Type, s.Version, s.ID, level)
	if s.Compatibility == "NONE" {
		result.Status = Warn
		result.Action = "set BACKWARD or stricter for the subject: a schema that readers cannot resolve would be taken"
	}
	return result
}
