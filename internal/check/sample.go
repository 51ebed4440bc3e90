package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
)

// The sample is the last records of every partition, within these bounds.
const (
	sampleRecords = 2000 // of a topic
	sampleLeast   = 20   // of a partition
	sampleBytes   = 16 << 20
	sampleTimeout = 8 * time.Second

	// usualJitter is how far apart a producer's two times of one tick may be.
	usualJitter = 50 * time.Millisecond
)

// sampled reads the last records of a topic and says what they show.
func sampled(ctx context.Context, c *config.Config, decoder codecs.TickDecoder, topic string, partitions int) []Check {
	name := "sample of " + topic
	records, err := readSample(ctx, c, topic, partitions)
	if err != nil {
		return []Check{unmeasured(name, "readable", err)}
	}
	if len(records) == 0 {
		return []Check{{name, OK, "no records: formats, keys, times and the partitioner are told once there are some", "", ""}}
	}
	s := sample{topic: topic, partitions: int32(partitions), config: c}
	ticks := codecs.NewTickReader(decoder, "")
	for _, r := range records {
		s.add(r, ticks)
	}
	return []Check{
		{name, OK, fmt.Sprintf("the last %s of %s", engine.Plural(int64(len(records)), "record"), engine.Plural(int64(s.seen), "partition")), "", ""},
		s.values(), s.times(), s.clock(), s.keyForms(), s.partitioner(),
	}
}

// readSample reads the tail of every partition, up to the ends that they have
// now.
func readSample(ctx context.Context, c *config.Config, topic string, partitions int) ([]*kgo.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	opts, err := kafka.AdminOptions(c)
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxWait(250*time.Millisecond))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("starts of %s: %w", topic, err)
	}
	ends, err := admin.ListCommittedOffsets(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("ends of %s: %w", topic, err)
	}
	most := int64(max(sampleLeast, sampleRecords/partitions))
	from, to := map[int32]kgo.Offset{}, map[int32]int64{}
	var failed error
	ends.Each(func(end kadm.ListedOffset) {
		start, ok := starts.Lookup(topic, end.Partition)
		switch {
		case end.Err != nil:
			failed = end.Err
		case ok && start.Err != nil:
			failed = start.Err
		case ok && start.Offset < end.Offset:
			from[end.Partition] = kgo.NewOffset().At(max(start.Offset, end.Offset-most))
			to[end.Partition] = end.Offset
		}
	})
	if failed != nil {
		return nil, fmt.Errorf("bounds of %s: %w", topic, failed)
	}
	if len(from) == 0 {
		return nil, nil
	}
	return poll(ctx, client, topic, from, to)
}

// poll reads until every partition has come to its end, the bytes are enough
// or the time is over; what it has by then is the sample.
func poll(ctx context.Context, client *kgo.Client, topic string, from map[int32]kgo.Offset, to map[int32]int64) ([]*kgo.Record, error) {
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: from})
	var records []*kgo.Record
	bytes := 0
	for len(to) > 0 && bytes < sampleBytes {
		fetches := client.PollFetches(ctx)
		for _, err := range fetches.Errors() {
			if ctx.Err() == nil {
				return nil, fmt.Errorf("read %s/%d: %w", err.Topic, err.Partition, err.Err)
			}
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, open := to[r.Partition]
			if !open || r.Offset >= end {
				return
			}
			if !r.Attrs.IsControl() {
				records = append(records, r)
				bytes += len(r.Key) + len(r.Value)
			}
			if r.Offset == end-1 {
				delete(to, r.Partition)
			}
		})
		if ctx.Err() != nil {
			break // the end of a compacted or aborted tail is no record
		}
	}
	return records, nil
}

// sample is what the records of one topic have shown.
type sample struct {
	topic      string
	partitions int32
	config     *config.Config

	seen    int // partitions with records
	last    int32
	ticks   int
	ignored int            // messages of a feed that are no ticks
	forms   map[string]int // of values, by what they begin with
	reasons map[string]int // why values are no ticks
	units   map[string]int
	offsets []int64 // event time - record time, nanoseconds
	newest  int64   // record time

	null, empty, mismatched, framed int
	keyed                           int
	keys                            map[keyPlace]*engine.KeyPlace
}

type keyPlace struct {
	key       string
	partition int32
}

func (s *sample) add(r *kgo.Record, ticks *codecs.TickReader) {
	if s.keys == nil {
		s.keys, s.forms, s.reasons, s.units = map[keyPlace]*engine.KeyPlace{}, map[string]int{}, map[string]int{}, map[string]int{}
		s.last, s.newest = -1, engine.NoTime
	}
	if r.Partition != s.last {
		s.last = r.Partition
		s.seen++
	}
	s.forms[formOf(r.Value)]++
	var record codecs.Record
	kafka.ReadRecord(r, &record)
	if record.Time <= 0 {
		record.Time = engine.NoTime
	}
	s.newest = max(s.newest, record.Time)
	t := ticks.Read(&record)
	s.addKey(r, t)
	for ; t != nil; t = ticks.Next() {
		s.addTick(t)
	}
}

func (s *sample) addTick(t *engine.Tick) {
	switch t.Kind {
	case engine.Good:
		s.ticks++
		s.units[t.Unit.String()]++
		if t.RecordTime != engine.NoTime && t.Unit != engine.UnitRecord {
			s.offsets = append(s.offsets, t.EventTime-t.RecordTime)
		}
	case engine.Tombstone:
	case engine.Ignored:
		s.ignored++
	default:
		s.reasons[t.Reason.String()]++
	}
}

// formOf names a value's form by its first bytes.
func formOf(value []byte) string {
	switch {
	case value == nil:
		return "tombstone"
	case len(value) == 0:
		return "empty"
	case value[0] == 0 && len(value) >= 5:
		return "schema registry's frame"
	case value[0] == '{':
		return "JSON object"
	case slices.Contains([]byte("[\"-0123456789tfn \t\r\n"), value[0]):
		return "JSON or text"
	}
	return "other bytes"
}

// values says what the values are, and whether the configured converter reads
// them.
func (s *sample) values() Check {
	result := Check{"values of " + s.topic, OK, "", "ticks by value.converter=" + s.config.ValueConverter, ""}
	result.Observed = list(ranked(s.forms))
	if s.ignored > 0 {
		result.Observed += fmt.Sprintf("; %d are messages of the feed that are no ticks", s.ignored)
	}
	bad := 0
	for _, n := range s.reasons {
		bad += n
	}
	if bad == 0 {
		return result
	}
	result.Status = Warn
	if s.ticks == 0 {
		result.Status = Fail
	}
	result.Observed += fmt.Sprintf("; %d are no ticks: %s", bad, list(ranked(s.reasons)))
	result.Action = "compare value.converter, field.symbol and field.timestamp with a record of the topic"
	return result
}

// times says in which unit the event times are.
func (s *sample) times() Check {
	result := Check{"timestamp unit of " + s.topic, OK, list(ranked(s.units)), "one unit, by field.timestamp.unit=" + s.config.FieldTimestampUnit, ""}
	switch {
	case len(s.units) == 0:
		result.Status, result.Observed, result.Action = Unknown, "no tick was read", "see the values"
	case len(s.units) > 1:
		result.Status = Warn
		result.Action = "find the producers of each unit; until they agree, set field.timestamp.unit only if all times are meant in it"
	}
	return result
}

// clock says how far event times are from record times, and how old the
// newest record is.
func (s *sample) clock() Check {
	result := Check{"clock of " + s.topic, OK, "", fmt.Sprintf("event times at most clock.skew.tolerance.ms=%d ahead of record times", s.config.ClockSkewTolerance.Milliseconds()), ""}
	if len(s.offsets) == 0 {
		result.Status, result.Observed, result.Action = Unknown, "no tick with a record time was read", "see the values"
		return result
	}
	slices.Sort(s.offsets)
	middle, ahead := s.offsets[len(s.offsets)/2], s.offsets[len(s.offsets)-1]
	result.Observed = fmt.Sprintf("event time - record time: median %s, from %s to %s; newest record %s old",
		rounded(middle), rounded(s.offsets[0]), rounded(ahead), rounded(time.Now().UnixNano()-s.newest))
	if tolerance := max(s.config.ClockSkewTolerance, usualJitter); time.Duration(ahead) > tolerance {
		result.Status = Warn
		result.Action = "synchronise the clocks of producers, or raise clock.skew.tolerance.ms"
	}
	return result
}

func rounded(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }
