package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

// settingsObject is a JSON object of settings in their own order.
type settingsObject []engine.Setting

func (s settingsObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for _, setting := range s {
		name, err := json.Marshal(setting.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(setting.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%s:%s", name, value)
	}
	return append(append([]byte{'{'}, bytes.TrimPrefix(b.Bytes(), []byte(","))...), '}'), nil
}

// write writes the settings as one object, or as a table.
func (s settingsObject) write(o *planOutput) error {
	if o.json {
		return o.row(s)
	}
	if err := o.heading("SETTING", "VALUE"); err != nil {
		return err
	}
	for _, setting := range s {
		if err := o.row(nil, setting.Name, fmt.Sprint(setting.Value)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) planProducerCommand() *cobra.Command {
	var client, partitioner string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "producer --client C [--partitioner P]",
		Short: "Tell the settings under which a client's ticks stay in order",
		Long:  "Tell, in the client's own names, the settings under which its ticks stay in\norder and on one partition a symbol. C is a client or client:choice of\nplan partition --list. Without --partitioner and without a choice, the client\nis set to murmur2 where it can be, as most clients can.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if client == "" {
				return withTry(usagef("--client is missing"), "auditstream plan partition --list")
			}
			want := engine.HashNone
			if partitioner != "" {
				p, err := partitionerFlag("partitioner", partitioner)
				if err != nil {
					return err
				}
				if want = p.Hash; want == engine.HashNone {
					return usagef("--partitioner %s ignores keys: no symbol stays on one partition", partitioner)
				}
			}
			return a.planProducer(client, want, asJSON)
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "the producing client")
	cmd.Flags().StringVar(&partitioner, "partitioner", "", "the hash that the topic's producers share")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object of settings")
	return cmd
}

func (a *app) planProducer(client string, want engine.Hash, asJSON bool) error {
	plan, err := engine.PlanProducer(client, want)
	o := newPlanOutput(a.out, asJSON)
	var refusal *engine.ProducerRefusal
	switch {
	case errors.As(err, &refusal):
		if asJSON {
			if err := o.row(settingsObject{{Name: "client", Value: client}, {Name: "refused", Value: refusal.Reason}}); err != nil {
				return err
			}
		}
		return errors.Join(err, o.flush())
	case err != nil:
		return withTry(usageError{fmt.Errorf("--client: %w", err)}, "auditstream plan partition --list")
	}
	if err := settingsObject(plan.Settings).write(o); err != nil {
		return err
	}
	if err := o.say("Keys are placed as %s does, by %v.", plan.Partitioner.Name, plan.Partitioner.Hash); err != nil {
		return err
	}
	for _, note := range plan.Notes {
		if err := o.say("%s", note); err != nil {
			return err
		}
	}
	return o.flush()
}

func (a *app) planTopicCommand() *cobra.Command {
	var needs engine.TopicNeeds
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "topic --rate R --size B --consumers C [--keep D]",
		Short: "Size a tick topic: partitions, replication, retention",
		Long: `Size a tick topic for R ticks a second of B bytes, read by C consumers.

partitions       2 × the larger of C and R×B ÷ 5 MB/s, up to a multiple of C
retention.bytes  2 × R×B × D ÷ partitions: the busiest may carry twice the mean
disk.bytes       3 replicas of every partition, with one segment on top`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plan, err := engine.PlanTopic(needs)
			if err != nil {
				return usageError{err}
			}
			o := newPlanOutput(a.out, asJSON)
			if err := topicSettings(plan).write(o); err != nil {
				return err
			}
			return o.flush()
		},
	}
	cmd.Flags().Float64Var(&needs.TicksPerSecond, "rate", 0, "ticks a second at the peak")
	cmd.Flags().Float64Var(&needs.BytesPerTick, "size", 0, "bytes of a tick as stored: key, value and headers")
	cmd.Flags().Int32Var(&needs.Consumers, "consumers", 0, "members of the largest consumer group")
	cmd.Flags().DurationVar(&needs.Keep, "keep", 24*time.Hour, "history that must stay readable")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// topicSettings spells a plan with Kafka's names. Retention is by bytes, so
// the time limit, which would otherwise be 7 days, is lifted.
func topicSettings(plan engine.TopicPlan) settingsObject {
	return settingsObject{
		{Name: "partitions", Value: plan.Partitions},
		{Name: "replication.factor", Value: plan.Replication},
		{Name: "min.insync.replicas", Value: plan.MinISR},
		{Name: "retention.bytes", Value: plan.RetentionBytes},
		{Name: "retention.ms", Value: -1},
		{Name: "segment.bytes", Value: plan.SegmentBytes},
		{Name: "cleanup.policy", Value: "delete"},
		{Name: "unclean.leader.election.enable", Value: false},
		{Name: "disk.bytes", Value: plan.DiskBytes},
	}
}
