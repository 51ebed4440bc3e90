package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// record is a record of a made-up log, with bytes of its own.
type record struct {
	partition int32
	tick      Tick
	now       int64 // wall clock of the audit, NoTime: none
}

// world is a tick topic with the audit of it, and what of the audit is
// durable. Rows go through JSON.
type world struct {
	t      testing.TB
	limits *Limits
	logs   [][]record
	at     []int // next record of each log to observe
	parts  []*Partition
	topic  *Topic

	rows      []string // partition rows
	symbols   []map[string]SymbolRow
	next      []int64
	topicRows map[string]string
	reports   []*Report
	restarts  bool // take a checkpoint and restart after every record
	partial   bool // at a restart, only every other symbol row was written
	seed      int
	pieces    int  // statistics are folded in parts of so many items
	twice     bool // and each part twice
}

func newWorld(t testing.TB, partitions int, l *Limits) *world {
	w := &world{
		t: t, limits: l, logs: make([][]record, partitions), at: make([]int, partitions),
		pieces: 1 << 30, rows: make([]string, partitions), next: make([]int64, partitions), topicRows: map[string]string{},
	}
	for id := range partitions {
		w.symbols = append(w.symbols, map[string]SymbolRow{})
		w.parts = append(w.parts, NewPartition("ticks", int32(id), int32(partitions), l))
	}
	w.topic = NewTopic("ticks", int32(partitions), l)
	return w
}

// produce puts a record on the log of its partition.
func (w *world) produce(r record) { w.logs[r.partition] = append(w.logs[r.partition], r) }

// step observes the next record of a partition; false: there is none.
func (w *world) step(id int) bool {
	if w.at[id] >= len(w.logs[id]) {
		return false
	}
	r := w.logs[id][w.at[id]]
	w.at[id]++
	tick := r.tick
	tick.Symbol, tick.Key, tick.Value = bytes.Clone(tick.Symbol), bytes.Clone(tick.Key), bytes.Clone(tick.Value)
	tick.Venue, tick.Producer = bytes.Clone(tick.Venue), bytes.Clone(tick.Producer)
	w.parts[id].Observe(&tick, r.now)
	for _, b := range [][]byte{tick.Symbol, tick.Key, tick.Value, tick.Venue, tick.Producer} {
		clear(b) // they belong to the reader again
	}
	if w.restarts && (w.at[id] < 70 || w.at[id]%97 == 0) {
		w.checkpoint(id, !w.partial)
		w.restart(id)
	}
	return true
}

// checkpoint makes a partition's snapshot durable; whole says that all of it
// was written, otherwise the offset and some symbol rows were not.
func (w *world) checkpoint(id int, whole bool) {
	s := w.parts[id].Snapshot()
	w.reports = append(w.reports, s.Reports...)
	w.rows[id] = encode(w.t, s.PartitionRow)
	for i, r := range s.Rows {
		if w.seed++; whole || (w.seed+i)%2 == 0 {
			w.symbols[id][r.Symbol] = r
		}
	}
	if whole && s.Next >= 0 {
		w.next[id] = s.Next
	}
	stats := new(PartitionStats)
	decode(w.t, encode(w.t, s.Stats), stats)
	for _, part := range stats.Split(w.pieces) {
		w.topic.Fold(part)
		if w.twice {
			w.topic.Fold(part)
		}
		w.checkpointTopic()
	}
}

func (w *world) checkpointTopic() {
	s := w.topic.Snapshot()
	w.reports = append(w.reports, s.Reports...)
	for i := range s.Rows {
		if delete(w.topicRows, s.Rows[i].Key); !s.Rows[i].Deletes() {
			w.topicRows[s.Rows[i].Key] = encode(w.t, s.Rows[i])
		}
	}
}

// restart makes a partition's and the topic's state anew from what is
// durable, and reads on at the committed offset.
func (w *world) restart(id int) {
	p := NewPartition("ticks", int32(id), int32(len(w.parts)), w.limits)
	names := slices.Sorted(maps.Keys(w.symbols[id]))
	if w.seed%2 == 0 {
		slices.Reverse(names)
	}
	for _, name := range names {
		p.RestoreSymbol(w.symbols[id][name])
	}
	if w.rows[id] != "" {
		var row PartitionRow
		decode(w.t, w.rows[id], &row)
		p.RestorePartition(row)
	}
	w.parts[id] = p
	w.at[id] = 0
	for w.at[id] < len(w.logs[id]) && w.logs[id][w.at[id]].tick.Offset < w.next[id] {
		w.at[id]++
	}
	topic := NewTopic("ticks", int32(len(w.parts)), w.limits)
	for _, k := range slices.Sorted(maps.Keys(w.topicRows)) {
		var row TopicRow
		decode(w.t, w.topicRows[k], &row)
		topic.Restore(row)
	}
	topic.lag, topic.rebalance, topic.rebalanced = w.topic.lag, w.topic.rebalance, w.topic.rebalanced
	topic.maxLag, topic.lagging, topic.unknown = w.topic.maxLag, w.topic.lagging, w.topic.unknown
	if w.topic.counted.on {
		topic.HasPartitions(w.topic.counted.count, 0, 0)
	}
	w.topic = topic
}

// grow gives the topic n partitions; the audit starts anew with what is durable.
func (w *world) grow(n int) {
	for id := range w.parts {
		w.checkpoint(id, true)
	}
	for id := len(w.parts); id < n; id++ {
		w.logs, w.at, w.rows, w.next = append(w.logs, nil), append(w.at, 0), append(w.rows, ""), append(w.next, 0)
		w.symbols = append(w.symbols, map[string]SymbolRow{})
		w.parts = append(w.parts, NewPartition("ticks", int32(id), int32(n), w.limits))
	}
	for id := range w.parts { // the audit starts anew with what is durable
		at := w.at[id]
		w.restart(id)
		w.at[id] = at
	}
}

// finish closes all partitions and writes the FINAL report.
func (w *world) finish() *Report {
	end := int64(NoTime)
	for _, p := range w.parts {
		end = max(end, p.row.Watermark)
	}
	for id, p := range w.parts {
		p.Close(end)
		w.checkpoint(id, true)
	}
	r := w.topic.Final("")
	w.checkpointTopic()
	return r
}

func encode(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func decode(t testing.TB, s string, v any) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// outcome is what must not depend on restarts: every finding as it stood
// last, and the totals.
func outcome(reports []*Report, final *Report) []string {
	last := map[string]Finding{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if old, ok := last[f.ID]; ok && (old.State == Resolved || f.Count < old.Count) {
				continue
			}
			last[f.ID] = f
		}
	}
	var out []string
	for _, f := range last {
		if f.State == Opened {
			f.State = Updated
		}
		show := showFinding
		if acrossPartitions(&f) {
			f.Partition, show = nil, showAnywhere
		}
		out = append(out, show(&f)+" "+f.ID[:8])
	}
	slices.Sort(out)
	return append(out, showTotals(final)...)
}

// openedTwice names the findings that are OPENED in more than one report.
func openedTwice(reports []*Report) (twice []string) {
	seen := map[string]bool{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.State != Opened {
				continue
			}
			if seen[f.ID] {
				twice = append(twice, showFinding(&f))
			}
			seen[f.ID] = true
		}
	}
	return twice
}

func showFinding(f *Finding) string {
	s := showAnywhere(f)
	if f.FirstOffset >= 0 {
		s += fmt.Sprintf(" @%d-%d", f.FirstOffset, f.LastOffset)
	}
	return s + fmt.Sprintf(" count=%d observed=%v%s", f.Count, f.Observed, f.Unit)
}

// acrossPartitions reports whether the finding's place and count depend on the
// order in which partitions are heard; its id does not.
func acrossPartitions(f *Finding) bool {
	return f.Code == SymbolSplit || f.Code == KeyMismatch && f.Unit == "spellings"
}

func showAnywhere(f *Finding) string {
	s := f.State.String() + " " + f.Code.String()
	if kind, ok := f.Evidence["kind"]; ok {
		s += fmt.Sprint(" ", kind)
	}
	if f.Partition != nil {
		s += fmt.Sprint(" p", *f.Partition)
	}
	if f.Symbol != "" {
		s += " " + f.Symbol
	}
	if f.Group != "" {
		s += " group=" + f.Group
	}
	return s
}

func showTotals(r *Report) []string {
	var counts map[string]int64
	if err := json.Unmarshal([]byte(encodeCounts(&r.Counts)), &counts); err != nil {
		return []string{err.Error()}
	}
	line := "counts"
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if counts[k] != 0 && !strings.HasSuffix(k, "_bytes") {
			line += fmt.Sprintf(" %s=%d", k, counts[k])
		}
	}
	out := []string{line, "status " + r.Status.String()}
	if len(r.OutOfOrder) > 0 {
		out = append(out, "out of order "+strings.Join(r.OutOfOrder, " "))
	}
	if r.SkewApplicable {
		out = append(out, fmt.Sprintf("skew %.2f", r.SkewRatio))
	}
	if r.MaxLagTicks != nil {
		out = append(out, fmt.Sprintf("lag %d on p%d", *r.MaxLagTicks, r.LaggingID))
	}
	return out
}

func encodeCounts(c *Counts) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "{}"
	}
	return string(b)
}
