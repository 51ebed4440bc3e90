package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/dlq"
	"github.com/auditstream/auditstream/internal/kafka"
)

func (a *app) dlqReplayCommand() *cobra.Command {
	flags := new(dlqFlags)
	var yes bool
	cmd := &cobra.Command{
		Use:   "replay -c FILE [--yes]",
		Short: "Write dead letters back to the topic and partition that they came from",
		Long: "replay writes the records of dead letters back to their own topic and partition,\n" +
			"with key, value, time and headers as they were. Without --yes it only says what\n" +
			"it would write. The letters stay where they are: what is replayed twice is there\n" +
			"twice. The audit knows such records by the headers that name their first place\n" +
			"and tells them as REDELIVERED, not as disorder.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "write; otherwise nothing is written")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags.config)
		if err != nil {
			return err
		}
		return unlessStopped(cmd.Context(), a.dlqReplay(cmd.Context(), c, flags, yes))
	}
	return cmd
}

func (a *app) dlqReplay(ctx context.Context, c *config.Config, flags *dlqFlags, yes bool) error {
	partitions, err := tickPartitions(ctx, c)
	if err != nil {
		return err
	}
	var publisher *dlq.Publisher
	if yes {
		settings, err := kafka.SaramaConfig(c)
		if err != nil {
			return err
		}
		if publisher, err = dlq.NewPublisher(c.BootstrapServers, settings, partitions); err != nil {
			return err
		}
		defer func() { _ = publisher.Close() }() // all is acknowledged by then
	}
	out := letterOutput{w: a.out, json: flags.json}
	written, skipped := 0, 0
	err = a.readLetters(ctx, c, flags, func(l *dlq.Letter) error {
		if why := dlq.Refused(l, partitions); why != "" {
			skipped++
			return out.show(l, "skipped", why)
		}
		became := "would be written"
		if yes {
			if _, err := publisher.Publish(l); err != nil {
				return withTry(fmt.Errorf("after %s: %w", counted(written, "letter"), err),
					fmt.Sprintf("go on with letter %d@%d (--from takes its offset)", l.Record.Partition, l.Record.Offset))
			}
			became = "written"
		}
		written++
		return out.show(l, became, "")
	})
	if err != nil || flags.json {
		return err
	}
	verb := "would be written back"
	if yes {
		verb = "written back"
	}
	if _, err = fmt.Fprintf(a.out, "%s %s, %d skipped\n", counted(written, "letter"), verb, skipped); err == nil && !yes && written > 0 {
		_, err = fmt.Fprintln(a.out, "nothing was written: --yes writes")
	}
	return err
}

// tickPartitions are the partition counts of the configured topics, the only
// ones that are written to.
func tickPartitions(ctx context.Context, c *config.Config) (map[string]int32, error) {
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	listed, err := admin.ListTopics(ctx, c.Topics...)
	if err != nil {
		return nil, fmt.Errorf("describe topics: %w", err)
	}
	partitions := map[string]int32{}
	for name, detail := range listed {
		if detail.Err == nil {
			partitions[name] = int32(len(detail.Partitions))
		}
	}
	return partitions, nil
}
