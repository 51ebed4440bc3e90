// Command subscribe tells what opens and what is over in an audit, with
// franz-go.
//
//	go run . localhost:9092 ticks.audit my-alerting
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/twmb/franz-go/pkg/kgo"
)

// report has the fields of a report that alerting needs.
type report struct {
	Trigger  string
	Mode     string
	Findings []finding
}

type finding struct {
	ID       string `json:"finding_id"`
	State    string
	Severity string
	Code     string
	Symbol   string
	Cause    string
}

func main() {
	if len(os.Args) != 4 {
		slog.Error("usage: subscribe BROKERS TOPIC GROUP")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := subscribe(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil && ctx.Err() == nil {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
}

func subscribe(ctx context.Context, brokers, topic, group string) error {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers),
		kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(group),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),      // reports, state and offsets are one transaction
		kgo.DisableAutoCommit(),                           // committed below, once reports have been dealt with
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), // a new group's first position
	)
	if err != nil {
		return err
	}
	defer client.Close()
	// finding_id to the last state told; the same id is the same fault, also
	// after a crash or in a replay.
	told := map[string]string{}
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for records := fetches.RecordIter(); !records.Done(); {
			var r report
			if err := json.Unmarshal(records.Next().Value, &r); err != nil {
				return err
			}
			// FINDING reports tell what has happened. INTERVAL and FINAL reports
			// list what is open, and a replay tells of the past.
			if r.Trigger != "FINDING" || r.Mode != "LIVE" {
				continue
			}
			for _, f := range r.Findings {
				if known := told[f.ID]; f.State == "UPDATED" || f.State == known || known == "RESOLVED" {
					continue
				}
				dealWith(f)
				told[f.ID] = f.State
			}
		}
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
	}
}

// dealWith is what your alerting does; here a line.
func dealWith(f finding) {
	symbol := f.Symbol
	if symbol == "" {
		symbol = "-"
	}
	fmt.Println(f.State, f.Severity, f.Code, f.ID, symbol+":", f.Cause)
}
