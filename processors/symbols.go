package processors

import (
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// symbols is the unit of the group that judges ticks: one partition of one
// tick topic.
type symbols struct {
	place
	cfg    *Config
	table  string
	log    zerolog.Logger
	ticks  *codecs.TickReader
	record codecs.Record // reused: a record is a view, never kept
	judge  *engine.Partition
	former formerLogs
	clock  clockWatch

	letters     []*sarama.ProducerMessage // dead letters that wait for the checkpoint
	letterBytes int
	restored    bool     // there is a row of the partition
	from        int64    // first offset that the restored state rests on
	obsolete    []string // symbols of a topic that is gone; their rows are to be deleted
}

// symbolsBatch is what a checkpoint of a symbols unit takes.
type symbolsBatch struct {
	snapshot *engine.Snapshot
	letters  []*sarama.ProducerMessage
	bytes    int
	obsolete []string
}

const urgentLetters = 8 << 20 // bytes of dead letters that ask for a checkpoint

func newSymbols(cfg *Config, p place, table string, decoder codecs.TickDecoder, log zerolog.Logger) *symbols {
	u := &symbols{place: p, cfg: cfg, table: table, log: log}
	u.ticks = codecs.NewTickReader(decoder, cfg.Limits.ProducerHeader)
	u.judge = u.fresh()
	return u
}

func (u *symbols) fresh() *engine.Partition {
	return engine.NewPartition(u.topic, u.partition, u.cfg.prepared.Partitions[u.topic], &u.cfg.Limits)
}

func (u *symbols) restore(r *kgo.Record) error {
	topic, symbol, isPartition, err := codecs.ParseKey(r.Key)
	if err != nil || topic != u.topic {
		return err
	}
	switch {
	case r.Value == nil && isPartition:
		u.judge, u.restored = u.fresh(), false
	case r.Value == nil:
	case isPartition:
		row, err := codecs.DecodePartitionRow(r.Value)
		if err != nil {
			return err
		}
		judge := u.about(engine.LogOf(row.TopicID), true)
		judge.RestorePartition(row)
		if judge == u.judge {
			u.from, u.restored = row.From, true
		}
	default:
		row, err := codecs.DecodeSymbolRow(symbol, r.Value)
		if err != nil {
			return err
		}
		u.about(row.Log, false).RestoreSymbol(row)
	}
	return nil
}

func (u *symbols) recovered(b logBounds) (fresh bool, err error) {
	u.takeFormer()
	id, was := u.cfg.prepared.TopicIDs[u.topic], u.judge.TopicID()
	same := id != "" && was == id
	switch shorter := u.judge.Next() > b.high; {
	case was != "" && id != "" && !same || shorter && !same:
		u.log.Warn().Str("partition", u.String()).Int64("next", u.judge.Next()).Int64("end", b.high).
			Msg("the topic was re-created: its totals start anew")
		u.obsolete = append(u.obsolete, u.judge.SymbolNames()...)
		u.judge = u.judge.Succeed(u.cfg.prepared.Partitions[u.topic])
		fresh = true
	case shorter:
		u.truncated(b.high)
	}
	u.judge.SetTopicID(id)
	u.cfg.Status.partition(PartitionStatus{
		Topic: u.topic, Partition: u.partition, Counts: u.judge.Counts(), Through: u.judge.Through(),
		End: b.end, Lag: max(0, b.end-max(b.start, u.judge.Next())), Symbols: int64(u.judge.Symbols()),
	})
	return fresh, nil
}

func (u *symbols) rests() (from, next int64) {
	if !u.restored {
		return -1, -1
	}
	return u.from, max(u.judge.Next(), u.judge.Through()+1)
}

func (u *symbols) lost(from, to int64) {
	u.log.Warn().Str("partition", u.String()).Int64("from", from).Int64("to", to).Msg("records are gone before they were audited")
	u.judge.Lost(from, to)
}

func (u *symbols) truncated(to int64) {
	u.log.Warn().Str("partition", u.String()).Int64("from", u.judge.Next()).Int64("to", to).Msg("the log was truncated")
	u.judge.Truncate(to)
}

func (u *symbols) consume(records []*kgo.Record) error {
	before := u.judge.Counts()
	defer func() {
		after := u.judge.Counts()
		u.cfg.Status.judged(&before, &after)
	}()
	now, wall := int64(engine.NoTime), time.Now().UnixNano()
	if u.judge.ReadAt(wall); u.judge.Live() {
		now = wall
	}
	last := int64(engine.NoTime)
	for _, r := range records {
		if r.Attrs.IsControl() {
			continue
		}
		kafka.ReadRecord(r, &u.record)
		for t := u.ticks.Read(&u.record); t != nil; t = u.ticks.Next() {
			if t.Reason == engine.ReasonSchemaAway {
				return fmt.Errorf("schema of %s at offset %d: %w", u.place, r.Offset, codecs.ErrSchemaAway)
			}
			if t.Kind == engine.Unreadable || t.Kind == engine.Unusable {
				if err := u.bad(r, t); err != nil {
					return err
				}
			}
			if t.Kind == engine.Good {
				last = t.EventTime
			}
			u.judge.Observe(t, now)
		}
	}
	if now != engine.NoTime && last != engine.NoTime {
		u.cfg.Status.aged(time.Duration(now - last))
	}
	return nil
}

// bad handles a record that the audit can only count.
func (u *symbols) bad(r *kgo.Record, t *engine.Tick) error {
	if u.cfg.StopOnBadRecord {
		what := "unusable"
		if t.Kind == engine.Unreadable {
			what = "unreadable"
		}
		return &BadRecordError{u.topic, u.partition, r.Offset, what + ": " + t.Reason.String()}
	}
	if t.Kind == engine.Unreadable && t.Item == 0 && u.cfg.topic(topology.RoleDeadLetter) != "" && r.Offset > u.judge.Through() {
		u.letters = append(u.letters, u.cfg.deadLetter(kept(r), t.Reason))
		u.letterBytes += len(r.Key) + len(r.Value)
	}
	return nil
}

func (u *symbols) progress(next, end int64) {
	if u.cfg.StopAtEnd {
		return // judged by record time to the end
	}
	high := end
	if next >= end {
		high = u.judge.Through() + 1 // what is left are markers
	}
	u.judge.Progress(high, time.Now().UnixNano())
}

func (u *symbols) sweep() {
	at := time.Now()
	now := at.UnixNano()
	if step := u.clock.step(at); step != 0 && !u.cfg.StopAtEnd {
		u.log.Warn().Str("partition", u.String()).Dur("step", step).Msg("the wall clock was set")
		u.judge.ClockStepped(int64(step), now)
	}
	u.judge.Sweep(now)
}

func (u *symbols) stands(end, lag int64) {
	unread, stalled := u.judge.Stalled(time.Now().UnixNano())
	u.cfg.Status.standing(u.place, end, lag, stalled && unread > 0)
}

func (u *symbols) close() { u.judge.Close(engine.NoTime) }

// urgent: what is found in history that is caught up with is old already, and
// waits for the checkpoint of all.
func (u *symbols) urgent() bool {
	return u.judge.Pending() && u.judge.Live() || u.letterBytes > urgentLetters
}

func (u *symbols) take() (*batch, error) {
	if !u.judge.Changed() && len(u.letters) == 0 {
		return nil, nil
	}
	inner := &symbolsBatch{u.judge.Snapshot(), u.letters, u.letterBytes, u.obsolete}
	u.letters, u.letterBytes, u.obsolete = nil, 0, nil
	b := &batch{inner: inner, reports: inner.snapshot.Reports}
	if err := u.encode(b, inner); err != nil {
		u.giveBack(b)
		return nil, err
	}
	return b, nil
}

func (u *symbols) encode(b *batch, inner *symbolsBatch) error {
	s := inner.snapshot
	messages, err := u.cfg.reportMessages(s.Reports)
	if err != nil {
		return err
	}
	b.ahead = append(messages, inner.letters...)
	stats, err := u.cfg.statsMessages(s.Stats)
	if err != nil {
		return err
	}
	b.ahead = append(b.ahead, stats...)
	key := codecs.PartitionKey(u.topic)
	for _, symbol := range inner.obsolete {
		b.rows = append(b.rows, row(u.table, u.partition, codecs.SymbolKey(u.topic, symbol), nil))
	}
	// The partition's row is durable before those of symbols: a symbol's row
	// must never speak further than its partition's. It is so after the rows of
	// another log are gone, and until then that log's stands: by its topic id
	// it is known that neither rows nor offsets are about this one.
	b.thenRows()
	value, err := codecs.EncodePartitionRow(&s.PartitionRow)
	if err != nil {
		return err
	}
	if len(inner.obsolete) > 0 && s.PartitionRow.TopicID == "" {
		b.rows = append(b.rows, row(u.table, u.partition, key, nil)) // no id will tell
	}
	b.rows = append(b.rows, row(u.table, u.partition, key, value))
	b.thenRows()
	slab := rowSlab{table: u.table, partition: u.partition, left: len(s.Rows)}
	b.rows = slices.Grow(b.rows, len(s.Rows))
	for i := range s.Rows {
		r := &s.Rows[i]
		m, err := slab.row(
			func(dst []byte) []byte { return codecs.AppendSymbolKey(dst, u.topic, r.Symbol) },
			func(dst []byte) ([]byte, error) { return codecs.AppendSymbolRow(dst, r), nil })
		if err != nil {
			return err
		}
		b.rows = append(b.rows, m)
	}
	return nil
}

func (u *symbols) giveBack(b *batch) {
	inner := b.inner.(*symbolsBatch)
	u.judge.Return(inner.snapshot)
	u.letters = append(inner.letters, u.letters...)
	u.letterBytes += inner.bytes
	u.obsolete = append(inner.obsolete, u.obsolete...)
}

func (u *symbols) settle(b *batch, end, lag int64) {
	inner, ok := b.inner.(*symbolsBatch)
	if !ok {
		return
	}
	row := &inner.snapshot.PartitionRow
	u.cfg.Status.partition(PartitionStatus{
		Topic: u.topic, Partition: u.partition, End: end, Lag: lag, Live: u.judge.Live(),
		Counts: row.Counts, Through: row.Through, Symbols: row.Symbols,
	})
}
