package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/topology"
)

// OutgrownTable reports whether a table that is narrower than its tick topics
// is the audit's own from before one of them grew, so that it may be made
// wider: rows lie on the partitions of their ticks and stay where they are.
//
// The audit's state tells: the partition counts that it knows of its topics
// are those that the table was made for. A table of any other width is
// somebody else's, or belongs to state that is gone, and nothing can be told.
//
// A table of alerts is the bridge's own at any width: its rows lie on the
// partitions of their reports.
func (a *Admin) OutgrownTable(ctx context.Context, t topology.Topology, table topology.Topic, count int) (bool, error) {
	names := topology.NamesOf(t.Name)
	if table.Name == names.AlertTable {
		return true, nil
	}
	if table.Name != names.Table || len(table.Partitions.LargestOf) == 0 {
		return false, nil
	}
	widest, err := a.storedWidth(ctx, names.DistributionTable)
	return widest == count, err
}

// storedWidth is the largest partition count of a topic in the state that the
// table of topic states holds, 0 when there is none.
func (a *Admin) storedWidth(ctx context.Context, table string) (int, error) {
	ends, err := a.ListCommittedOffsets(ctx, table)
	if err == nil {
		err = ends.Error()
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return 0, nil
	}
	if err != nil {
		return 0, asError(fmt.Errorf("end of table %s: %w", table, err))
	}
	end, ok := ends.Lookup(table, 0)
	if !ok || end.Offset <= 0 {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	client, err := kgo.NewClient(append(a.client.Opts(), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{table: {0: kgo.NewOffset().AtStart()}}))...)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	widths := map[string]int32{} // by row: of rows with one key the last one holds
	for next := int64(0); next < end.Offset; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return 0, asError(fmt.Errorf("read table %s: %w", table, err))
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if next = r.Offset + 1; !r.Attrs.IsControl() {
				noteWidth(widths, r)
			}
		})
	}
	widest := int32(0)
	for _, w := range widths {
		widest = max(widest, w)
	}
	return int(widest), nil
}

// noteWidth takes the partition count of a topic from the row that holds it.
func noteWidth(widths map[string]int32, r *kgo.Record) {
	_, key, err := codecs.ParseTopicRowKey(r.Key)
	if err != nil || key != "t" {
		return
	}
	delete(widths, string(r.Key))
	if row, err := codecs.DecodeTopicRow(key, r.Value); err == nil && row.State != nil {
		widths[string(r.Key)] = row.State.Partitions
	}
}

// WidenCommand gives a topic so many partitions.
func (a *Admin) WidenCommand(topic string, partitions int) string {
	return fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d", a.bootstrap, topic, partitions)
}

// outgrown is a table that is to be made wider.
type outgrown struct {
	table    string
	from, to int
	fault    error  // why it cannot stay as it is
	command  string // what makes it wider, for somebody who may
}

// widen makes outgrown tables wider, and waits until that is seen. Without the
// right to do so the error tells the command for somebody who has it.
func (a *Admin) widen(ctx context.Context, tables []outgrown) error {
	for _, g := range tables {
		responses, err := a.UpdatePartitions(ctx, g.to, g.table)
		if err == nil {
			err = responses.Error()
		}
		switch {
		case errors.Is(err, kerr.InvalidPartitions): // another instance may have been first
		case err != nil:
			return &Error{true, fmt.Errorf("%w; grow it: %w", g.fault, err), g.command}
		}
		if err := a.awaitWidth(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func (a *Admin) awaitWidth(ctx context.Context, g outgrown) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	for {
		listed, err := a.ListEndOffsets(ctx, g.table)
		if err == nil {
			err = listed.Error()
		}
		if err == nil && len(listed[g.table]) >= g.to {
			return nil
		}
		select {
		case <-ctx.Done():
			return asError(fmt.Errorf("wait for table %s to have %d partitions: %w", g.table, g.to, errors.Join(err, ctx.Err())))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
