package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/auditstream/auditstream/internal/subscribe"
	"github.com/auditstream/auditstream/internal/view"
)

// Options say how to run a demo.
type Options struct {
	Seed     uint64
	Port     int     // of the embedded broker; 0: any free one
	Format   *Format // nil: JSON
	Schedule Schedule
	// Patience is how long what was not found by the end of the schedule is
	// waited for: on a busy machine things take longer.
	Patience time.Duration
	// Hasty ends the demo once every fault was found.
	Hasty bool
	// Audit audits the topic on the broker until its context ends, as `run`
	// does, with the settings of Settings. It is handed a function that prints
	// a line of the demo's head, such as where its metrics are.
	Audit func(ctx context.Context, settings []string, announce func(name, value string)) error
	Out   io.Writer
	Style view.Style
}

// Settings are the configuration of the demo's audit: everything that a
// minute can show, quick enough to be seen, and slack enough to hold on a slow
// machine. A registry is given where the format has one.
func (f *Format) Settings(broker, registry string) []string {
	settings := []string{
		"name=demo",
		"bootstrap.servers=" + broker,
		"topics=" + Topic,
		"audit.topic=" + auditTopic,
		"report.interval.ms=2000",
		"checkpoint.interval.ms=500",
		"max.symbol.silence.ms=5000",
		"clock.skew.tolerance.ms=250",
		"partition.skew.threshold=2.0",
		"field.halt=trading",
		"halt.values=halted",
	}
	if registry != "" {
		settings = append(settings, "value.converter.schema.registry.url="+registry)
	}
	return append(settings, f.settings...)
}

const auditTopic = Topic + ".audit"

// readyTimeout bounds the wait for the audit's first report.
const readyTimeout = 2 * time.Minute

// Run plays the demo to its end, or until ctx ends, which is no error. The
// summary is valid when the error is nil; its own Err says whether the audit
// found what it had to.
func Run(ctx context.Context, o Options) (*Summary, error) {
	broker, err := startBroker(ctx, o.Port)
	if err != nil {
		return nil, err
	}
	defer broker.Close()
	if o.Format == nil {
		o.Format = &jsonFormat
	}
	address, registry := broker.ListenAddrs()[0], ""
	if o.Format.schema != nil {
		schemas := startRegistry(o.Format.schema)
		defer schemas.Close()
		registry = schemas.URL()
	}
	story := newStory(o)
	in := newInjector(o.Schedule.Faults)
	in.begun, in.ended = story.faultOn, story.faultOff
	in.found, in.patience = story.found, o.Patience
	feed, err := newFeed(address, o.Format, NewMarket(o.Seed, o.Schedule.Length), in)
	if err != nil {
		return nil, err
	}
	defer feed.close()
	story.head(address, registry, o.Format)

	audit := func(ctx context.Context) error {
		return o.Audit(ctx, o.Format.Settings(address, registry), story.announce)
	}
	early, err := play(ctx, o, address, audit, feed, story)
	if err != nil {
		return nil, err
	}
	return story.summary(feed.written.Load(), early), nil
}

// play runs market, audit and subscriber side by side. They end in the order
// that lets nothing be missed and nothing be found that is not one: first the
// audit, while the market still trades, then the subscriber, once it has read
// what the audit wrote last, then the market.
func play(ctx context.Context, o Options, address string, audit func(context.Context) error, feed *feed, story *story) (early bool, err error) {
	all, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	auditing, stopAudit := context.WithCancel(failed)
	defer stopAudit()
	reading, stopReading := context.WithCancel(failed)
	defer stopReading()
	trading, closeMarket := context.WithCancel(failed)
	defer closeMarket()

	audited, drained := make(chan struct{}), make(chan struct{})
	all.Go(func() error { return feed.run(trading) })
	all.Go(func() error {
		defer close(audited)
		err := audit(auditing)
		if err == nil && auditing.Err() == nil {
			err = errors.New("the audit ended by itself")
		}
		if err != nil && failed.Err() == nil {
			return fmt.Errorf("audit: %w", err)
		}
		return nil
	})
	all.Go(func() error {
		defer close(drained)
		err := subscribe.Reports(reading, subscribe.Options{
			Client: []kgo.Opt{kgo.SeedBrokers(address)}, Topic: auditTopic,
			FromBeginning: true, Await: true, Drain: audited,
		}, story.report)
		if reading.Err() != nil {
			return nil // it was stopped in the middle of a question
		}
		return err
	})
	early, err = direct(ctx, failed, o, feed, story)
	stopAudit()
	<-audited
	if !story.running() {
		stopReading() // no report ever came: there may be no topic to drain
	}
	<-drained
	closeMarket()
	return early, errors.Join(err, all.Wait())
}

// direct waits for the audit's first report, lets the faults begin, and
// returns when the schedule is over or the user has had enough.
func direct(ctx, failed context.Context, o Options, feed *feed, story *story) (early bool, err error) {
	select {
	case <-ctx.Done():
		return true, nil
	case <-failed.Done():
		return true, nil
	case <-time.After(readyTimeout):
		return true, fmt.Errorf("the audit has written no report within %s", readyTimeout)
	case <-story.firstReport:
	}
	close(feed.begin)
	var settled <-chan struct{}
	if o.Hasty {
		settled = story.settled
	}
	over := time.After(o.Schedule.Length)
	for late := false; ; {
		select {
		case <-ctx.Done():
			return true, nil
		case <-failed.Done():
			return true, nil
		case <-settled:
			return false, nil
		case <-over:
			if late || o.Patience == 0 {
				return false, nil
			}
			late, settled, over = true, story.settled, time.After(o.Patience)
		}
	}
}
