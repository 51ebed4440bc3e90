package processors

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// groupClient is what a member needs of its client: *kgo.Client.
type groupClient interface {
	GroupMetadata() (memberID string, generation int32)
	PollRecords(context.Context, int) kgo.Fetches
	AllowRebalance()
	PauseFetchPartitions(map[string][]int32) map[string][]int32
	ResumeFetchPartitions(map[string][]int32)
	CommitOffsetsSync(context.Context, map[string]map[int32]kgo.EpochOffset,
		func(*kgo.Client, *kmsg.OffsetCommitRequest, *kmsg.OffsetCommitResponse, error))
}

// offsetLister tells the bounds of logs and the ids of topics: *kadm.Client. ListEndOffsets gives
// high watermarks, ListCommittedOffsets last stable offsets.
type offsetLister interface {
	ListStartOffsets(context.Context, ...string) (kadm.ListedOffsets, error)
	ListEndOffsets(context.Context, ...string) (kadm.ListedOffsets, error)
	ListCommittedOffsets(context.Context, ...string) (kadm.ListedOffsets, error)
	ListTopics(context.Context, ...string) (kadm.TopicDetails, error)
}

// tableReader reads committed records, markers included: *kgo.Client.
type tableReader interface {
	PollRecords(context.Context, int) kgo.Fetches
	Close()
}

func (c *Config) openTable(table string, from map[int32]kgo.Offset) (tableReader, error) {
	return kgo.NewClient(append(append([]kgo.Opt(nil), c.ClientOptions...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{table: from}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.FetchMaxWait(100*time.Millisecond),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
}

// dialSarama makes a producer, and what its connections are closed by. A
// transactional one has ended by then what an earlier life has left open.
//
// A producer that was fenced can send nothing more. sarama tries again as if a
// connection had failed, and says why when that is over: without pauses, so
// that it is known at once.
func dialSarama(brokers []string, config *sarama.Config) (io.Closer, sarama.AsyncProducer, error) {
	var ap sarama.AsyncProducer // is set before it is given a message to try again
	pause := config.Producer.Retry.Backoff
	config.Producer.Retry.BackoffFunc = func(int, int) time.Duration {
		if ap.TxnStatus()&sarama.ProducerTxnFlagFatalError != 0 {
			return 0
		}
		return pause
	}
	client, err := sarama.NewClient(brokers, config)
	if err != nil {
		return nil, nil, fmt.Errorf("open producer: %w", err)
	}
	ap, err = sarama.NewAsyncProducerFromClient(client)
	if err != nil {
		_ = client.Close()
		return nil, nil, fmt.Errorf("open producer: %w", err)
	}
	return client, ap, nil
}
