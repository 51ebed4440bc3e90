package alert

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/subscribe"
)

// Options are what a bridge is made of.
type Options struct {
	Consumer []kgo.Opt      // a member of the group: connection, session
	Client   []kgo.Opt      // any other client: connection alone
	Topic    string         // the audit topic
	Form     subscribe.Form // how its reports are read, nil: JSON alone
	Group    string
	Table    string // compacted, as many partitions as the audit topic
	Instance string // the group's static member
	Target   Target
	Severity engine.Severity // findings below are left out
	Resend   time.Duration
	Rate     int // requests a minute
	Metrics  *Metrics
	Log      zerolog.Logger
}

// bridge is one life of a member of the group.
//
// The main loop polls, and tells what it has read before it polls again; so
// what waits is bounded by one poll. Callbacks of the group change parts and
// queue under the same lock.
type bridge struct {
	Options
	client *kgo.Client // member of the group, and writer of rows
	offset *kadm.Client
	pace   *pace
	wait   backoff

	mu       sync.Mutex
	parts    map[int32]*part
	queue    []step
	position map[int32]kgo.EpochOffset // where the next life begins, once the queue is empty
	begun    map[int32]kgo.EpochOffset // where the first life begins, until it is committed
	repeatAt time.Time                 // zero: nothing is open
	failed   error                     // what ends the bridge
}

// part is a partition of the audit topic that is read here.
type part struct {
	*book
	committed  kadm.Offset // At is negative: nothing
	start, end int64       // of the partition when it was assigned
	anew       bool        // committed counts for nothing
	quiet      bool        // what lies before quietUntil was written before the first bridge: told is only what its end changes
	quietUntil int64
	// told are the alerts that the table had as open: a life that could commit
	// nothing has told them, or one before the group's offsets expired.
	told  map[string]bool
	moved map[string]int32 // where the row of an alert lies that was another partition's
}

// changed is what the target has not heard of when the quiet part is read.
func (p *part) changed() []Alert {
	var changed []Alert
	for _, id := range slices.Sorted(maps.Keys(p.alerts)) {
		if a := p.alerts[id]; a.Resolved == p.told[id] {
			changed = append(changed, *a)
		}
	}
	return changed
}

// step is what one request tells.
type step struct {
	partition int32
	alerts    []Alert
	repeat    bool // open alerts that were told before
	told      bool // the target has heard it; its rows are to be written
}

// pollMost bounds the reports that are read before their alerts are told.
const pollMost = 500

// errMadeAnew ends a life whose topic is gone: a client reads no other one of
// the same name.
var errMadeAnew = errors.New("the audit topic was deleted")

// Run reads the audit topic and tells the target until the context ends, which
// is no error. The topics exist.
func Run(ctx context.Context, o Options) error {
	for {
		err := live(ctx, o)
		if !errors.Is(err, errMadeAnew) {
			return err
		}
		o.Log.Warn().Str("topic", o.Topic).Msg("the audit topic was deleted; it is read again from its start when it is there")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(firstWait):
		}
	}
}

// live is one life of the bridge.
func live(ctx context.Context, o Options) error {
	b := &bridge{Options: o, pace: newPace(o.Rate), parts: map[int32]*part{}, position: map[int32]kgo.EpochOffset{}, begun: map[int32]kgo.EpochOffset{}}
	admin, err := kgo.NewClient(o.Client...)
	if err != nil {
		return fmt.Errorf("alert: %w", err)
	}
	defer admin.Close()
	b.offset = kadm.NewClient(admin)
	made := make(chan struct{}) // partitions may be assigned before the client is known here
	b.client, err = kgo.NewClient(append(append([]kgo.Opt{}, o.Consumer...),
		kgo.ConsumerGroup(o.Group), kgo.InstanceID(o.Instance), kgo.ConsumeTopics(o.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(func(ctx context.Context, _ *kgo.Client, added map[string][]int32) {
			<-made
			b.assigned(ctx, added[o.Topic])
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, lost map[string][]int32) { b.revoked(lost[o.Topic]) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, lost map[string][]int32) { b.revoked(lost[o.Topic]) }),
		kgo.AdjustFetchOffsetsFn(b.anew),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
	)...)
	if err != nil {
		return fmt.Errorf("alert: %w", err)
	}
	close(made)
	defer b.client.CloseAllowingRebalance()
	for ctx.Err() == nil {
		if err := b.turn(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// turn reads once, where nothing waits to be told, and tells once.
func (b *bridge) turn(ctx context.Context) error {
	fetches, err := b.poll(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.begin(ctx)
	b.take(fetches)
	delay, err := b.tell(ctx)
	if err == nil {
		err = b.failed
	}
	b.mu.Unlock()
	b.client.AllowRebalance()
	if err != nil {
		return err
	}
	if delay > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
	return nil
}

func (b *bridge) poll(ctx context.Context) (kgo.Fetches, error) {
	b.mu.Lock()
	waiting, until := len(b.queue) > 0, b.repeatAt
	b.mu.Unlock()
	if waiting {
		return nil, nil
	}
	// A partition that is assigned meanwhile may bring alerts to repeat.
	if soon := time.Now().Add(time.Second); until.IsZero() || soon.Before(until) {
		until = soon
	}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	fetches := b.client.PollRecords(limited, pollMost)
	for _, e := range fetches.Errors() {
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		case errors.Is(e.Err, kerr.FencedInstanceID):
			return nil, fmt.Errorf("another bridge of this audit has the instance id %s: %w", b.Instance, e.Err)
		case errors.Is(e.Err, kerr.UnknownTopicID):
			return nil, errMadeAnew
		case kerr.IsRetriable(e.Err):
			b.Log.Warn().Err(e.Err).Str("topic", b.Topic).Msg("reading the audit topic fails for now")
		default:
			return nil, fmt.Errorf("read audit topic %s: %w", b.Topic, e.Err)
		}
	}
	return fetches, nil
}

// take turns reports into steps.
func (b *bridge) take(fetches kgo.Fetches) {
	for records := fetches.RecordIter(); !records.Done(); {
		r := records.Next()
		p := b.parts[r.Partition]
		if p == nil {
			continue
		}
		if p.quiet && r.Offset >= p.quietUntil { // its last records were deleted meanwhile
			b.endQuiet(r.Partition, p)
		}
		b.position[r.Partition] = kgo.EpochOffset{Epoch: r.LeaderEpoch, Offset: r.Offset + 1}
		var told []Alert
		if !r.Attrs.IsControl() {
			report := subscribe.Decode(r, b.Form)
			if report.Err != nil {
				b.Log.Warn().Err(report.Err).Msg("a record of the audit topic is left out")
			} else {
				// An end in the future, by a clock that is ahead of this one, would
				// let the alert go on until then.
				at := r.Timestamp
				if now := time.Now(); at.After(now) {
					at = now
				}
				b.adopt(r.Partition, p, report.Report)
				told = p.report(report.Report, r.Offset, at, b.Severity)
			}
		}
		switch {
		case !p.quiet:
			b.enqueue(r.Partition, told, false)
		case r.Offset+1 >= p.quietUntil:
			b.endQuiet(r.Partition, p)
		}
	}
}

func (b *bridge) endQuiet(partition int32, p *part) {
	p.quiet = false
	b.enqueue(partition, p.changed(), false)
}

// enqueue adds alerts to the last step as long as it has room and tells no
// finding twice: an alert must have opened before it can resolve.
func (b *bridge) enqueue(partition int32, alerts []Alert, repeat bool) {
	for _, a := range alerts {
		last := len(b.queue) - 1
		if last < 0 || !b.queue[last].takes(partition, a.Finding.ID, repeat, b.Target.Batch()) {
			b.queue = append(b.queue, step{partition: partition, repeat: repeat})
			last++
		}
		b.queue[last].alerts = append(b.queue[last].alerts, a)
	}
	b.Metrics.waiting(len(b.queue))
}

func (s *step) takes(partition int32, id string, repeat bool, most int) bool {
	if s.partition != partition || s.repeat != repeat || len(s.alerts) >= most {
		return false
	}
	for i := range s.alerts {
		if s.alerts[i].Finding.ID == id {
			return false
		}
	}
	return true
}

// assigned learns what earlier lives have told of these partitions.
func (b *bridge) assigned(ctx context.Context, partitions []int32) {
	if len(partitions) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	books, err := b.restore(ctx, partitions)
	if err != nil {
		b.failed = err
		return
	}
	for p, restored := range books {
		b.parts[p] = restored
		b.Log.Info().Int32("partition", p).Int("open", len(restored.open())).Msg("audit topic assigned")
		if len(restored.open()) > 0 {
			b.repeatAt = time.Now()
		}
	}
	b.Metrics.open(b.openAlerts())
}

func (b *bridge) revoked(partitions []int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range partitions {
		delete(b.parts, p)
		delete(b.position, p)
		delete(b.begun, p)
		kept := b.queue[:0]
		for _, s := range b.queue {
			if s.partition != p {
				kept = append(kept, s)
			}
		}
		b.queue = kept
	}
}

func (b *bridge) openAlerts() int {
	open := 0
	for _, p := range b.parts {
		open += len(p.open())
	}
	return open
}
