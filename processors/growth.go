package processors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/auditstream/auditstream/engine"
)

// GrowthError says that a topic has got partitions since the start. The audit
// then starts anew with what it has made durable: every instance must know the
// count by which keys are judged, whether it owns a new partition or not.
type GrowthError struct {
	Topic     string
	Partition int32
	Known     int32
}

func (e *GrowthError) Error() string {
	return fmt.Sprintf("topic %s has partition %d, it had %s at the start", e.Topic, e.Partition, engine.Plural(int64(e.Known), "partition"))
}

// grown is a GrowthError when a topic has more partitions than at the start.
func (l *layout) grown(listed kadm.ListedOffsets) error {
	for _, topic := range l.topics {
		last := int32(-1)
		for id, o := range listed[topic] {
			if o.Err == nil {
				last = max(last, id)
			}
		}
		if last >= l.count[topic] {
			return &GrowthError{topic, last, l.count[topic]}
		}
	}
	return nil
}

// widthSeen is how long brokers may take to agree on how wide topics are by now.
const widthSeen = 10 * time.Second

// grow readies another life with a table as wide as a topic that has grown. A
// topic that grows once more meanwhile would leave it too narrow again, and for a
// moment brokers may tell of the table as it was.
func (a *audit) grow(ctx context.Context, growth *GrowthError) (Prepared, error) {
	for until := time.Now().Add(widthSeen); ; {
		if err := a.growTable(ctx, growth); err != nil {
			return Prepared{}, err
		}
		prepared, err := a.cfg.Prepare(ctx)
		if err == nil || time.Now().After(until) {
			return prepared, err
		}
		select {
		case <-ctx.Done():
			return Prepared{}, err
		case <-time.After(anewAfter):
		}
	}
}

// growTable makes the table as wide as the widest topic. Without the right to
// do so the error tells the command for somebody who has it.
func (a *audit) growTable(ctx context.Context, growth *GrowthError) error {
	listed, err := a.admin.ListTopics(asked(ctx), append(a.cfg.tickTopics(), a.names.Table)...)
	if err != nil {
		return fmt.Errorf("describe topics: %w", err)
	}
	want := int(growth.Partition) + 1
	for _, topic := range a.cfg.tickTopics() {
		want = max(want, len(listed[topic].Partitions))
	}
	if len(listed[a.names.Table].Partitions) >= want {
		return nil
	}
	responses, err := a.admin.UpdatePartitions(ctx, want, a.names.Table)
	if err == nil {
		err = responses.Error()
	}
	switch {
	case errors.Is(err, kerr.InvalidPartitions) && a.tableHas(ctx, want):
		return nil // another instance was first
	case err != nil:
		return fmt.Errorf("%w; grow table %s to %d partitions: %w; next: kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d",
			growth, a.names.Table, want, err, a.cfg.Brokers[0], a.names.Table, want)
	}
	return nil
}

func (a *audit) tableHas(ctx context.Context, want int) bool {
	listed, err := a.admin.ListTopics(asked(ctx), a.names.Table)
	return err == nil && len(listed[a.names.Table].Partitions) >= want
}
