package processors

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Stats is how a running audit stands at one moment. Numbers of partitions
// are those of their last durable checkpoint.
type Stats struct {
	Ready    bool     // every assigned partition is recovered and read
	NotReady []string // why not, one clause each
	Fatal    error    // what ended the run
	Instance string   // instance.id in force
	State    State    // what the audit does now
	Asked    Asked    // what it was asked to do
	Judged   Judged   // by this process, since it started

	Partitions []PartitionStatus // owned by this process, by topic and number
	Lags       []LagStatus       // watched groups, where this process judges them
	Groups     []GroupStatus     // the same
	Logs       []LogStatus       // bounds of the tick topics' partitions, where watched groups are judged

	Checkpoints Durations             // in which they became durable
	Detections  Durations             // from a record's time until its finding was readable
	Rebalances  int64                 // sessions of the symbols group after the first
	TickAges    Durations             // of ticks when they were judged, one a batch, of partitions read to their end
	Opened      map[engine.Code]int64 // findings since the process started
	Open        map[engine.Code]int64 // not resolved yet
	OpenSince   map[engine.Code]time.Time
	Topics      []TopicStatus // in the instance that judges them
}

// PartitionStatus is one owned partition of a tick topic.
type PartitionStatus struct {
	Topic     string
	Partition int32
	Counts    engine.Counts // since the group's first record
	Through   int64         // last offset judged, -1: none
	End       int64         // readable end of the log known last, -1: unknown
	Lag       int64         // records between the audit and that end, -1: unknown
	Symbols   int64
	Live      bool // the audit keeps up with the partition; never while it is paused
	Stalled   bool // it stands still although records are unread

	liveSince time.Time // on this process's clock
}

// Judged is what a process has judged itself: what it restored at the start or
// with partitions that came to it is not in it.
type Judged struct{ Records, Ticks, Disorder int64 }

// Lag is the sum of the partitions' lags; it is not known where one is not, nor
// where no partition is owned.
func (s *Stats) Lag() (records int64, known bool) {
	for _, p := range s.Partitions {
		if p.Lag < 0 {
			return 0, false
		}
		records += p.Lag
	}
	return records, len(s.Partitions) > 0
}

// LagStatus is a watched group's lag on one partition.
type LagStatus struct {
	Group     string
	Topic     string
	Partition int32
	Lag       int64         // records; -1: unknown
	Committed int64         // next offset to read; -1: none
	Age       time.Duration // of the oldest unread record; negative: unknown
}

// GroupStatus is a watched group as it is described.
type GroupStatus struct {
	Group       string
	Type        string // classic or consumer
	Protocol    string // assignor, "" when not known
	State       string
	Members     int // -1: unknown
	Coordinator int32
}

// LogStatus is where a partition starts and ends; -1: unknown.
type LogStatus struct {
	Topic      string
	Partition  int32
	Start, End int64
}

// Status collects Stats. Run fills it; any goroutine may read it.
type Status struct {
	mu         sync.Mutex
	groups     map[string]string // group -> why it is not ready, "" when it is
	stats      Stats
	partitions map[string]PartitionStatus
	symbols    *group                 // that judges ticks, once it is made
	open       map[string]openFinding // by finding_id
	topics     map[string]TopicStatus
	schemas    Schemas  // nil: nothing is waited for
	control    *Control // nil: nobody pauses or stops the audit

	names sync.Mutex // guards named
	named named
}

// NewStatus is the status of an audit that has not started.
func NewStatus() *Status {
	return &Status{
		groups: map[string]string{}, partitions: map[string]PartitionStatus{},
		open: map[string]openFinding{}, topics: map[string]TopicStatus{},
		stats: Stats{
			Checkpoints: newDurations(), Detections: newDurations(),
			TickAges: newDurations(), Opened: map[engine.Code]int64{},
		},
	}
}

// Stats copies how the audit stands now.
func (s *Status) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.State, c.Asked = s.control.State(), s.control.Asked()
	c.Opened = maps.Clone(c.Opened)
	c.Open, c.OpenSince = s.counted()
	for _, topic := range slices.Sorted(maps.Keys(s.topics)) {
		c.Topics = append(c.Topics, s.topics[topic])
	}
	c.Checkpoints, c.Detections, c.TickAges = c.Checkpoints.copied(), c.Detections.copied(), c.TickAges.copied()
	c.Lags, c.Groups, c.Logs = slices.Clone(c.Lags), slices.Clone(c.Groups), slices.Clone(c.Logs)
	c.Partitions = make([]PartitionStatus, 0, len(s.partitions))
	for _, key := range slices.Sorted(maps.Keys(s.partitions)) {
		c.Partitions = append(c.Partitions, s.partitions[key])
	}
	for _, group := range slices.Sorted(maps.Keys(s.groups)) {
		if why := s.groups[group]; why != "" {
			c.NotReady = append(c.NotReady, group+": "+why)
		}
	}
	for _, p := range c.Partitions {
		if p.Stalled {
			c.NotReady = append(c.NotReady, fmt.Sprintf("%s/%d: stands still, %s before its end", p.Topic, p.Partition, engine.Plural(p.Lag, "record")))
		}
	}
	if s.schemas != nil {
		if why := s.schemas.Away(); why != "" {
			c.NotReady = append(c.NotReady, why)
		}
	}
	if len(s.groups) == 0 {
		c.NotReady = append(c.NotReady, "starting")
	}
	if c.Fatal != nil {
		c.NotReady = append(c.NotReady, "ended: "+c.Fatal.Error())
	}
	c.Ready = len(c.NotReady) == 0
	return c
}

func (s *Status) group(name, notReady string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[name] = notReady
}

// obeys has the status tell what the audit was asked to do.
func (s *Status) obeys(c *Control) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.control = c
}

// judged adds what was judged between two counts of a partition.
func (s *Status) judged(before, after *engine.Counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &s.stats.Judged
	j.Records += after.Records - before.Records
	j.Ticks += after.Ticks - before.Ticks
	j.Disorder += after.Disorder - before.Disorder
}

func (s *Status) update(f func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

func partitionKey(topic string, id int32) string {
	n := strconv.Itoa(int(id))
	return topic + "/" + "0000000000"[:max(0, 10-len(n))] + n
}

func (s *Status) partition(p PartitionStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := partitionKey(p.Topic, p.Partition)
	p.Live = p.Live && s.control.Asked().State != Paused
	if was := s.partitions[key]; was.Live {
		p.liveSince = was.liveSince
	} else {
		p.liveSince = time.Now()
	}
	s.partitions[key] = p
}

// standing notes how a partition stands between checkpoints: one that stands
// still, or is held, has none.
func (s *Status) standing(at place, end, lag int64, stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := partitionKey(at.topic, at.partition)
	p, known := s.partitions[key]
	if !known {
		return
	}
	paused := s.control.Asked().State == Paused
	p.End, p.Lag, p.Stalled, p.Live = end, lag, stalled && !paused, p.Live && !paused
	s.partitions[key] = p
}

func (s *Status) dropPartitions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.partitions)
	maps.DeleteFunc(s.open, func(_ string, o openFinding) bool { return o.partition >= 0 })
}

// dropTopics forgets what is known of whole topics: another instance judges
// them from now on, or nobody does.
func (s *Status) dropTopics() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.topics)
	maps.DeleteFunc(s.open, func(_ string, o openFinding) bool { return o.partition < 0 })
	s.stats.Lags, s.stats.Groups, s.stats.Logs = nil, nil, nil
}

func (s *Status) checkpoint(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Checkpoints.observe(took)
}
