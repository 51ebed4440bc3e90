package subscribe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/subscribe"
)

var errEnough = errors.New("enough")

// subscriber reads n reports in the background, then ends.
type subscriber struct {
	ready chan struct{}
	got   chan subscribe.Report
	done  chan error
}

func start(t *testing.T, c *kafkatest.Cluster, o subscribe.Options, n int) *subscriber {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.AwaitTimeout)
	t.Cleanup(cancel)
	s := &subscriber{make(chan struct{}), make(chan subscribe.Report, n), make(chan error, 1)}
	o.Client = []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}
	o.Ready = func() { close(s.ready) }
	go func() {
		s.done <- subscribe.Reports(ctx, o, func(r subscribe.Report) error {
			s.got <- r
			if n--; n == 0 {
				return errEnough
			}
			return nil
		})
	}()
	return s
}

func (s *subscriber) wait(t *testing.T) []subscribe.Report {
	t.Helper()
	if err := <-s.done; !errors.Is(err, errEnough) {
		t.Fatalf("reading ended with %v", err)
	}
	close(s.got)
	var all []subscribe.Report
	for r := range s.got {
		all = append(all, r)
	}
	return all
}

func report(topic, id string) *kgo.Record {
	return &kgo.Record{Topic: topic, Value: []byte(`{"report_id":"` + id + `","scope":"TOPIC","trigger":"INTERVAL","status":"KAFKA_STREAM_HEALTHY"}`)}
}

func TestReadsFromNowOnOrFromTheBeginning(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1)
		c.Produce(t, report(topic, "old"))
		all := start(t, c, subscribe.Options{Topic: topic, FromBeginning: true}, 2)
		late := start(t, c, subscribe.Options{Topic: topic}, 1)
		<-all.ready
		<-late.ready
		c.Produce(t, report(topic, "new"))
		if got := late.wait(t); got[0].Report.ID != "new" {
			t.Errorf("a subscriber from now on read %q", got[0].Report.ID)
		}
		if got := all.wait(t); got[0].Report.ID != "old" || got[1].Report.ID != "new" {
			t.Errorf("a subscriber from the beginning read %q, %q", got[0].Report.ID, got[1].Report.ID)
		}
	})
}

func TestSeesCommittedReportsOnly(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1)
		writer := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)))
		if err := writer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := writer.ProduceSync(t.Context(), report(topic, "aborted")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := writer.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		c.Produce(t, report(topic, "committed"))
		s := start(t, c, subscribe.Options{Topic: topic, FromBeginning: true}, 1)
		if got := s.wait(t); got[0].Report.ID != "committed" {
			t.Errorf("read %q", got[0].Report.ID)
		}
	})
}

func TestDrainsToTheEndThatATransactionLeft(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 2)
		writer := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)))
		for _, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
			if err := writer.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := writer.ProduceSync(t.Context(), report(topic, "x")).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := writer.EndTransaction(t.Context(), end); err != nil {
				t.Fatal(err)
			}
		}
		drain, read := make(chan struct{}), 0
		close(drain)
		err := subscribe.Reports(t.Context(), subscribe.Options{
			Client: []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, Topic: topic, FromBeginning: true, Drain: drain,
		}, func(subscribe.Report) error { read++; return nil })
		if err != nil || read != 1 {
			t.Errorf("read %d reports of 1, %v", read, err)
		}
	})
}

func TestAForeignRecordIsToldAndReadPast(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	c.Produce(t, &kgo.Record{Topic: topic, Value: []byte("no json")}, report(topic, "next"))
	got := start(t, c, subscribe.Options{Topic: topic, FromBeginning: true}, 2).wait(t)
	if got[0].Err == nil || got[0].Report != nil {
		t.Errorf("the foreign record gave %+v", got[0])
	}
	if got[1].Err != nil || got[1].Report.ID != "next" {
		t.Errorf("the record behind it gave %+v", got[1])
	}
}

func TestAMissingTopicIsNamedOrAwaited(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := kafkatest.Name(t)
		reach := []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}
		err := subscribe.Reports(t.Context(), subscribe.Options{Client: reach, Topic: topic}, nil)
		if !errors.Is(err, subscribe.ErrNoTopic) {
			t.Errorf("a missing topic gives %v", err)
		}
		s := start(t, c, subscribe.Options{Topic: topic, Await: true, FromBeginning: true}, 1)
		c.CreateTopic(t, topic, 1)
		c.Produce(t, report(topic, "first"))
		if got := s.wait(t); got[0].Report.ID != "first" {
			t.Errorf("read %q", got[0].Report.ID)
		}
	})
}

func TestTheEndOfTheContextIsNoError(t *testing.T) {
	c := kafkatest.Fake(t)
	for _, topic := range []string{c.Topic(t, 1), "missing"} {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		err := subscribe.Reports(ctx, subscribe.Options{
			Client: []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, Topic: topic, Await: true,
		}, nil)
		cancel()
		if err != nil {
			t.Errorf("%s: %v", topic, err)
		}
	}
}
