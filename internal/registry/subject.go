package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"
)

// Subject is what a registry knows of the values of a topic.
type Subject struct {
	Name          string // by the usual strategy: <topic>-value
	Version, ID   int    // of its latest schema; 0: it has none
	Type          string // AVRO, PROTOBUF or JSON
	Compatibility string // its own, or that of the whole registry; "": it does not tell
}

// Subjects asks the first server that answers for the subjects of the topics'
// values. It registers and changes nothing. The error says why no server
// answers, or that they refuse the credentials.
func Subjects(ctx context.Context, servers *Servers, topics []string) ([]Subject, error) {
	clients, err := servers.clients()
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, c := range clients {
		all, err := subjectsOf(ctx, c, topics)
		if err == nil {
			return all, nil
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}

func subjectsOf(ctx context.Context, c *sr.Client, topics []string) (all []Subject, err error) {
	for _, topic := range topics {
		s := Subject{Name: topic + "-value"}
		latest, err := c.SchemaByVersion(ctx, s.Name, -1)
		switch err = verdict(err); {
		case errors.Is(err, errUnknown):
		case err != nil:
			return nil, fmt.Errorf("subject %s: %w", s.Name, err)
		default:
			s.Version, s.ID, s.Type = latest.Version, latest.ID, latest.Type.String()
		}
		if level := c.Compatibility(sr.WithParams(ctx, sr.DefaultToGlobal), s.Name)[0]; level.Err == nil {
			s.Compatibility = level.Level.String()
		}
		all = append(all, s)
	}
	return all, nil
}
