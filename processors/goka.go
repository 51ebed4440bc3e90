package processors

import (
	"errors"
	"fmt"
	"hash"

	"github.com/IBM/sarama"
	"github.com/lovoo/goka"
	"github.com/lovoo/goka/codec"
	"github.com/lovoo/goka/storage"
	"github.com/rs/zerolog"
)

// processor builds the goka processor of the group. Everything by which goka
// would touch Kafka itself is replaced: topics were made before, state is
// recovered by the gate, and what is written is written at checkpoints.
func (g *group) processor() (*goka.Processor, error) {
	graph := goka.DefineGroup(goka.Group(g.name),
		goka.Input(goka.Stream(g.layout.stream), frameCodec{}, g.onFrame),
		goka.Persist(new(codec.Bytes)))
	return goka.NewProcessor(g.cfg.Brokers, graph,
		goka.WithLogger(gokaLog{g.log}),
		goka.WithNilHandling(goka.NilProcess),
		goka.WithPartitionChannelSize(1),
		goka.WithStorageBuilder(func(string, int32) (storage.Storage, error) { return noStorage{}, nil }),
		goka.WithTopicManagerBuilder(func([]string) (goka.TopicManager, error) { return knownTopics{&g.layout}, nil }),
		goka.WithConsumerSaramaBuilder(func([]string, string) (sarama.Consumer, error) { return noConsumer{}, nil }),
		goka.WithProducerBuilder(func([]string, string, func() hash.Hash32) (goka.Producer, error) { return noProducer{}, nil }),
		goka.WithConsumerGroupBuilder(func([]string, string, string) (sarama.ConsumerGroup, error) { return g, nil }),
	)
}

// frameCodec has nothing to decode: the frame waits in its claim's queue.
type frameCodec struct{}

func (frameCodec) Encode(any) ([]byte, error) { return frameMark, nil }
func (frameCodec) Decode([]byte) (any, error) { return nil, nil }

// knownTopics answers goka's questions about topics without asking Kafka. The
// table always ends where goka's recovery would begin: the gate's own recovery
// has left nothing to load.
type knownTopics struct{ layout *layout }

func (knownTopics) EnsureTableExists(string, int) error                         { return nil }
func (knownTopics) EnsureStreamExists(string, int) error                        { return nil }
func (knownTopics) EnsureTopicExists(string, int, int, map[string]string) error { return nil }
func (knownTopics) GetOffset(string, int32, int64) (int64, error)               { return 0, nil }
func (knownTopics) Close() error                                                { return nil }

func (k knownTopics) Partitions(string) ([]int32, error) {
	ids := make([]int32, k.layout.total)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids, nil
}

var errNotGoka = errors.New("BUG: state is not kept by goka")

// noStorage is goka's view of a table that it does not keep.
type noStorage struct{}

func (noStorage) Open() error                            { return nil }
func (noStorage) Close() error                           { return nil }
func (noStorage) Has(string) (bool, error)               { return false, errNotGoka }
func (noStorage) Get(string) ([]byte, error)             { return nil, errNotGoka }
func (noStorage) Set(string, []byte) error               { return errNotGoka }
func (noStorage) Delete(string) error                    { return errNotGoka }
func (noStorage) SetOffset(int64) error                  { return nil }
func (noStorage) GetOffset(missing int64) (int64, error) { return missing, nil }
func (noStorage) MarkRecovered() error                   { return nil }
func (noStorage) Iterator() (storage.Iterator, error)    { return nil, errNotGoka }
func (noStorage) IteratorWithRange(_, _ []byte) (storage.Iterator, error) {
	return nil, errNotGoka
}

// noConsumer is goka's consumer of table topics, which has nothing to read.
type noConsumer struct{}

func (noConsumer) Topics() ([]string, error)                  { return nil, errNotGoka }
func (noConsumer) Partitions(string) ([]int32, error)         { return nil, errNotGoka }
func (noConsumer) HighWaterMarks() map[string]map[int32]int64 { return nil }
func (noConsumer) Close() error                               { return nil }
func (noConsumer) Pause(map[string][]int32)                   {}
func (noConsumer) Resume(map[string][]int32)                  {}
func (noConsumer) PauseAll()                                  {}
func (noConsumer) ResumeAll()                                 {}
func (noConsumer) ConsumePartition(string, int32, int64) (sarama.PartitionConsumer, error) {
	return nil, errNotGoka
}

// noProducer is goka's producer for emits, of which there are none: what a
// tick causes is written at its checkpoint.
type noProducer struct{}

func (noProducer) Emit(string, string, []byte) *goka.Promise {
	return refused()
}

func (noProducer) EmitWithHeaders(string, string, []byte, goka.Headers) *goka.Promise {
	return refused()
}

func (noProducer) Close() error { return nil }

func refused() *goka.Promise {
	promise, finish := goka.NewPromiseWithFinisher()
	finish(nil, errNotGoka)
	return promise
}

// gokaLog keeps goka's log at debug level.
type gokaLog struct{ log zerolog.Logger }

func (l gokaLog) Print(v ...any)                 { l.log.Debug().Msg(fmt.Sprint(v...)) }
func (l gokaLog) Println(v ...any)               { l.log.Debug().Msg(fmt.Sprint(v...)) }
func (l gokaLog) Printf(format string, v ...any) { l.log.Debug().Msgf(format, v...) }
