package processors

import (
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// distribution is the unit of the group that folds the partitions' statistics
// into the reports of whole topics: the one partition of the distribution
// topic, with the state of every tick topic.
type distribution struct {
	place
	cfg    *Config
	table  string
	log    zerolog.Logger
	topics map[string]*engine.Topic
	clocks func() (lags lagSample, rebalances []int64)
	recall func(topic string, groups []engine.WatchedGroup) // tells the watch what was known of groups
	looks  *looks                                           // at the tick topics; nil: nobody looks

	read         codecs.OffsetRow // of the distribution topic; of nothing so far when Next is 0
	lagSeen      time.Time
	unwatched    bool // it was told that no groups are watched
	settingsSeen time.Time
	finals       finalState
	retold       []*engine.Report // FINAL ones of ends that were reached before
	unknowns     int64            // records that are no statistics of a topic of this audit
}

func newDistribution(cfg *Config, p place, table string, clocks func() (lagSample, []int64), log zerolog.Logger) *distribution {
	u := &distribution{place: p, cfg: cfg, table: table, log: log, clocks: clocks, topics: map[string]*engine.Topic{}}
	u.recall = func(string, []engine.WatchedGroup) {}
	for _, topic := range cfg.tickTopics() {
		u.topics[topic] = engine.NewTopic(topic, cfg.prepared.Partitions[topic], &cfg.Limits)
	}
	return u
}

func (u *distribution) restore(r *kgo.Record) error {
	name, key, err := codecs.ParseTopicRowKey(r.Key)
	if err != nil {
		return err
	}
	if name == u.topic {
		u.read, err = codecs.DecodeOffsetRow(r.Value)
		return err
	}
	topic := u.topics[name]
	if topic == nil {
		return nil // of a topic that is no longer audited
	}
	row, err := codecs.DecodeTopicRow(key, r.Value)
	if err != nil {
		return err
	}
	topic.Restore(row)
	return nil
}

func (u *distribution) recovered(b logBounds) (fresh bool, err error) {
	for name, topic := range u.topics {
		topic.Recovered(u.cfg.prepared.TopicIDs[name])
		u.recall(name, topic.Watched())
		if u.looks != nil {
			topic.HasPartitions(u.cfg.prepared.Partitions[name], u.looks.asked(), 0)
		}
	}
	if fresh = u.read.Next > b.high; fresh {
		u.log.Warn().Int64("next", u.read.Next).Int64("end", b.high).Msg("the distribution topic was made anew: it is read from its start")
		u.read = codecs.OffsetRow{}
	}
	return fresh, nil
}

func (u *distribution) rests() (from, next int64) {
	if u.read.Next == 0 {
		return -1, -1
	}
	return u.read.From, u.read.Next
}

// Statistics are cumulative, so those that are lost are made good by the next
// ones; what they had told once, such as where a symbol was seen first, is not.
func (u *distribution) lost(from, to int64) {
	u.log.Warn().Int64("from", from).Int64("to", to).Msg("statistics are gone before they were read: the retention of the distribution topic is too short")
	u.read.Next = max(u.read.Next, to)
}

func (u *distribution) truncated(to int64) { u.read.Next = min(u.read.Next, to) }

func (u *distribution) consume(records []*kgo.Record) error {
	for _, r := range records {
		if u.read.Next == 0 {
			u.read.From = r.Offset
		}
		u.read.Next = max(u.read.Next, r.Offset+1)
		if r.Attrs.IsControl() {
			continue
		}
		stats, err := codecs.DecodeStats(r.Value)
		if err != nil || u.topics[stats.Topic] == nil {
			if u.unknowns++; u.unknowns == 1 {
				u.log.Warn().Err(err).Int64("offset", r.Offset).Msg("no statistics of this audit on its distribution topic, skipped")
			}
			continue
		}
		u.topics[stats.Topic].Fold(stats)
	}
	return nil
}

func (u *distribution) progress(int64, int64) {}

// Its input is never held.
func (u *distribution) goesOn() {}

func (u *distribution) stands(int64, int64) {}

func (u *distribution) sweep() {
	now := time.Now().UnixNano()
	lags, rebalances := u.clocks()
	for _, topic := range u.topics {
		topic.ObserveRebalances(u.cfg.names().Group, rebalances, monotonic())
	}
	u.observeLag(lags)
	settings, read := u.cfg.settings.last()
	defer func() { u.settingsSeen = read }()
	for name, topic := range u.topics {
		for group, times := range lags.rebalances {
			if lags.watches(name, group) {
				topic.ObserveRebalances(group, times, monotonic())
			}
		}
		if count, asked, answered := u.looks.last(name); answered > 0 {
			topic.HasPartitions(count, asked, answered)
		}
		if !u.cfg.StopAtEnd {
			if s, ok := settings[name]; ok && read.After(u.settingsSeen) {
				topic.ObserveSettings(&s, now)
			}
			topic.Sweep(now)
		}
	}
}

// observeLag judges a sample of the watched groups, once. Where no groups are
// watched any more, what is open about them is over.
func (u *distribution) observeLag(lags lagSample) {
	if len(u.cfg.LagGroups) == 0 && !u.unwatched {
		u.unwatched = true
		for _, topic := range u.topics {
			topic.ObserveLag(nil, time.Now().UnixNano())
		}
	}
	if !lags.at.After(u.lagSeen) {
		return
	}
	u.lagSeen = lags.at
	for name, topic := range u.topics {
		topic.ObserveLag(lags.samples[name], lags.at.UnixNano())
	}
}

func (u *distribution) close() {}

// finalState follows the FINAL reports to durability.
type finalState uint8

const (
	finalNone finalState = iota
	finalMade
	finalTaken
	finalDurable
)

// final writes the FINAL report of every topic, once for the same ends
// whatever instance writes it. One that is written already is told again to
// those who look at this run alone: it has reached that end as well.
func (u *distribution) final(ends map[place]int64) {
	lags, _ := u.clocks()
	u.observeLag(lags)
	settings, read := u.cfg.settings.last()
	for name, s := range settings {
		if topic := u.topics[name]; topic != nil {
			topic.ObserveSettings(&s, read.UnixNano())
		}
	}
	for _, name := range u.cfg.tickTopics() {
		byPartition := map[int32]int64{}
		for p, end := range ends {
			if p.topic == name {
				byPartition[p.partition] = end
			}
		}
		topic := u.topics[name]
		if id := engine.FinalID(byPartition); topic.Ended(id) {
			u.retold = append(u.retold, topic.Retold(id))
		} else {
			topic.Final(id)
		}
	}
	u.finals = finalMade
}

func (u *distribution) urgent() bool {
	for _, topic := range u.topics {
		if topic.Pending() {
			return true
		}
	}
	return u.finals == finalMade
}

func (u *distribution) take() (*batch, error) {
	b := &batch{reports: slices.Clone(u.retold)}
	snapshots := []*engine.TopicSnapshot{}
	for _, name := range u.cfg.tickTopics() {
		topic := u.topics[name]
		if !topic.Changed() {
			continue
		}
		s := topic.Snapshot()
		snapshots = append(snapshots, s)
		b.inner = snapshots
		if err := u.encode(b, s); err != nil {
			u.giveBack(b)
			return nil, err
		}
	}
	if len(snapshots) == 0 && len(u.retold) == 0 {
		if u.finals == finalMade {
			u.finals = finalDurable // all were written before
		}
		return nil, nil
	}
	b.inner = snapshots
	if u.finals == finalMade {
		u.finals = finalTaken
	}
	// Last of the rows: it must not speak for rows that were not written.
	if err := u.encodeRead(b); err != nil {
		u.giveBack(b)
		return nil, err
	}
	return b, nil
}

// topicSteps are the kinds of a topic's rows in the order in which they become
// durable, so that whatever is missing is told again by the statistics that are
// read again: findings, symbols, groups and whatever else there is, the empty
// step; which windows are closed, so that none is judged twice; loads of open
// windows; which loads a partition has told.
var topicSteps = []string{"", "t", "w", "p"}

// topicStep is the step in which a row becomes durable.
func topicStep(key string) int { return max(0, slices.Index(topicSteps, key[:1])) }

func (u *distribution) encode(b *batch, s *engine.TopicSnapshot) error {
	messages, err := u.cfg.reportMessages(s.Reports)
	if err != nil {
		return err
	}
	b.ahead = append(b.ahead, messages...)
	b.reports = append(b.reports, s.Reports...)
	slab := rowSlab{table: u.table, partition: u.partition, left: len(s.Rows)}
	b.rows = slices.Grow(b.rows, len(s.Rows))
	for step := range topicSteps {
		b.thenRows()
		for i := range s.Rows {
			r := &s.Rows[i]
			if topicStep(r.Key) != step {
				continue
			}
			value := func(dst []byte) ([]byte, error) { return codecs.AppendTopicRow(dst, r) }
			if r.Deletes() {
				value = nil
			}
			m, err := slab.row(func(dst []byte) []byte { return codecs.AppendTopicRowKey(dst, s.Topic, r.Key) }, value)
			if err != nil {
				return fmt.Errorf("topic %s: %w", s.Topic, err)
			}
			b.rows = append(b.rows, m)
		}
	}
	return nil
}

func (u *distribution) encodeRead(b *batch) error {
	if u.read.Next == 0 {
		return nil
	}
	value, err := codecs.EncodeOffsetRow(u.read)
	if err == nil {
		b.thenRows()
		b.rows = append(b.rows, row(u.table, u.partition, codecs.OffsetKey(u.topic), value))
	}
	return err
}

func (u *distribution) giveBack(b *batch) {
	snapshots, _ := b.inner.([]*engine.TopicSnapshot)
	for _, s := range snapshots {
		u.topics[s.Topic].Return(s)
	}
	if u.finals == finalTaken {
		u.finals = finalMade
	}
}

func (u *distribution) settle(_ *batch, _, _ int64) {
	if u.finals == finalTaken {
		u.finals, u.retold = finalDurable, nil
	}
}
