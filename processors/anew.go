package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// TopicGoneError says that a topic has been deleted while it was audited; it
// may have been made anew since.
type TopicGoneError struct{ Topic string }

func (e *TopicGoneError) Error() string {
	return fmt.Sprintf("topic %s was deleted while it was audited", e.Topic)
}

// backFor is how long a topic that was deleted may take to be made anew.
const backFor = 30 * time.Second

const (
	topicsEvery = 2 * time.Second        // how often topics are looked at
	goneAfter   = 3                      // looks in a row by which a topic is gone
	anewAfter   = 250 * time.Millisecond // brokers may tell for a moment of two topics by one name
)

// watchTopics looks whether the topics that are read are still those of the
// start, and have as many partitions. A fetch tells of that only sometimes: of
// a topic that was deleted and is not there any more it says nothing.
func (a *audit) watchTopics(ctx context.Context) {
	ticker := time.NewTicker(topicsEvery)
	defer ticker.Stop()
	own := []string{a.names.Table, a.names.DistributionTopic, a.names.DistributionTable}
	missed := map[string]int{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		question := a.looks.ask()
		listed, err := a.admin.ListTopics(asked(ctx), append(own, a.cfg.tickTopics()...)...)
		if err != nil {
			continue
		}
		if err := a.looks.answer(question, listed, a.cfg.tickTopics(), a.cfg.prepared.Partitions); err != nil {
			a.symbols.end(fatal{err})
		}
		for name, detail := range listed {
			was := a.cfg.prepared.TopicIDs[name]
			if is(detail.Err, kerr.UnknownTopicOrPartition) || detail.Err == nil && was != "" && a.cfg.isAnother(detail.ID.String(), was) {
				missed[name]++
			} else {
				delete(missed, name)
			}
			if missed[name] < goneAfter {
				continue
			}
			if slices.Contains(own, name) {
				a.symbols.end(fatal{fmt.Errorf("topic %s, which holds this audit's state, was deleted while it was in use", name)})
			} else {
				a.symbols.end(fatal{&TopicGoneError{name}})
			}
		}
	}
}

// end ends the group's present member because of something outside it.
func (g *group) end(err error) {
	if s := g.session(); s != nil {
		s.fail(err)
	}
}

// anew readies another life of the groups after one that a change of the
// topics has ended: the table is made as wide as a topic that has grown, a
// topic that was deleted is waited for. It returns the error of a life that
// something else has ended.
func (a *audit) anew(ctx context.Context, ended error) (Prepared, error) {
	var growth *GrowthError
	var gone *TopicGoneError
	if ctx.Err() != nil {
		return Prepared{}, ended
	}
	if errors.As(ended, &growth) {
		a.cfg.Logger.Info().Err(ended).Msg("a topic has grown: starting anew with a table as wide")
		return a.grow(ctx, growth)
	}
	if !errors.As(ended, &gone) {
		return Prepared{}, ended
	}
	a.cfg.Logger.Warn().Err(ended).Msg("waiting for the topic to be made anew")
	ctx, cancel := context.WithTimeout(ctx, min(backFor, a.cfg.RetryFor))
	defer cancel()
	why := context.DeadlineExceeded
	for wait := anewAfter; ; wait = time.Second {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return Prepared{}, fmt.Errorf("%w and is not there again: %v", ended, why) //nolint:errorlint // what ends the run is the deletion
		}
		prepared, err := a.cfg.Prepare(ctx)
		if err == nil {
			a.cfg.Logger.Info().Str("topic", gone.Topic).Msg("the topic is there: starting anew")
			return prepared, nil
		}
		why = err
	}
}

// asked has kadm ask the brokers for topics: without it, it may answer from
// what it has heard seconds ago, when a topic was another.
func asked(ctx context.Context) context.Context { return kadm.WithAuthorizedOps(ctx) }

// sameTopics looks, before a session judges anything or takes a log that ends
// earlier for a truncated one, whether its tick topics are still those of the
// start. A member that has not heard of a topic made
// anew would take what is known of the new one to be about one that is gone.
func (s *session) sameTopics(ctx context.Context) error {
	topics := slices.DeleteFunc(slices.Clone(s.g.layout.topics), func(name string) bool {
		return !slices.Contains(s.g.cfg.tickTopics(), name) || s.g.cfg.prepared.TopicIDs[name] == ""
	})
	if len(topics) == 0 {
		return nil
	}
	listed, err := s.g.offsets.ListTopics(asked(ctx), topics...)
	if err != nil {
		return fmt.Errorf("ids of topics: %w", err)
	}
	for _, name := range topics {
		detail := listed[name]
		switch {
		case is(detail.Err, kerr.UnknownTopicOrPartition), detail.Err == nil && s.g.cfg.isAnother(detail.ID.String(), s.g.cfg.prepared.TopicIDs[name]):
			return fatal{&TopicGoneError{name}}
		case detail.Err != nil:
			return fmt.Errorf("id of topic %s: %w", name, detail.Err)
		}
	}
	return nil
}

// isAnother says whether the ids are those of two topics.
func (c *Config) isAnother(id, was string) bool { return !c.anyTopicID && id != was }
