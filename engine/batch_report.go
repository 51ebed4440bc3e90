package engine

import (
	"fmt"
	"strconv"
)

// finding is a new finding of the batch.
func (b *batch) finding(c Code, subject string, partition int32, offset int64) *Finding {
	id := partition
	return &Finding{
		ID: findingID(b.Topic, c, subject, offset), Code: c, State: Opened, Severity: c.Info().Severity,
		Topic: b.Topic, Partition: &id, FirstOffset: offset, LastOffset: offset, FirstTime: NoTime, LastTime: NoTime,
		Action: c.Info().Action, Evidence: map[string]any{},
	}
}

// note counts a tick that the clock faults; size is by how much, nanoseconds.
func (b *batch) note(c Code, t *BatchTick, partition int32, offset, size, limit int64) {
	f := b.episodes[c]
	if f == nil {
		f = b.finding(c, "topic", partition, offset)
		f.FirstTime = Time(t.TimestampNanos)
		f.Observed, f.Threshold, f.Unit = millis(size)-1, millis(limit), "ms"
		b.episodes[c] = f
	}
	f.Count++
	f.LastOffset, f.LastTime = offset, Time(t.TimestampNanos)
	if ms := millis(size); ms > f.Observed {
		id := partition
		f.Observed, f.Symbol, f.Partition = ms, ShowBytes(t.Symbol), &id
		f.Evidence["worst_ns"], f.Evidence["worst_offset"] = size, offset
	}
}

// noteLate counts a tick that is out of order.
func (b *batch) noteLate(t *BatchTick, partition int32, offset, step int64) {
	f := b.late[t.Symbol]
	if f == nil {
		f = b.finding(UpstreamDisorder, "symbol/"+strconv.Itoa(int(partition))+"/"+t.Symbol, partition, offset)
		f.Symbol, f.FirstTime, f.Unit = ShowBytes(t.Symbol), Time(t.TimestampNanos), "ms"
		f.Evidence["judged_by"] = "symbol"
		b.late[t.Symbol] = f
	}
	f.Count++
	f.LastOffset, f.LastTime = offset, Time(t.TimestampNanos)
	if worst, _ := f.Evidence["worst_step_ns"].(int64); step > worst {
		f.Evidence["worst_step_ns"], f.Evidence["worst_offset"] = step, offset
		f.Observed = millis(step)
	}
}

// judgeOffsets judges the consumed offsets against the partitions' ends.
func (b *batch) judgeOffsets(consumed map[int32]int64) {
	r, limit := b.report, b.limits.MaxLagTicks
	for _, id := range sortedKeys(consumed) {
		at, end := consumed[id], b.ends[id]
		if at > end {
			f := b.finding(OffsetInconsistency, "partition/"+strconv.Itoa(int(id)), id, at)
			f.Count, f.Observed, f.Unit = 1, float64(at-end), "records"
			f.Evidence["kind"], f.Evidence["committed"], f.Evidence["log_end"] = kindAhead, at, end
			f.Cause = fmt.Sprintf("offset %d of partition %d is consumed, %d beyond its end %d", at, id, at-end, end)
			b.listed = append(b.listed, *f)
		}
		lag := max(0, end-at)
		if r.MaxLagTicks == nil || lag > *r.MaxLagTicks {
			r.MaxLagTicks = &lag
			if lag > 0 {
				r.LaggingID = id
			}
		}
		if lag > limit {
			f := b.finding(ConsumerLag, "partition/"+strconv.Itoa(int(id)), id, at)
			f.Count, f.Observed, f.Threshold, f.Unit = 1, float64(lag), float64(limit), "records"
			f.Evidence["committed"], f.Evidence["log_end"] = at, end
			f.Cause = fmt.Sprintf("partition %d is consumed up to %d, %s behind its end %d", id, at, plural(lag, "record"), end)
			b.listed = append(b.listed, *f)
		}
	}
}

// judgeSkew judges the batch's load over all partitions.
func (b *batch) judgeSkew() {
	var ticks int64
	for _, n := range b.loads {
		ticks += n
	}
	if ticks == 0 || int64(len(b.symbols)) < int64(b.partitions) || ticks < b.limits.PartitionSkewMin {
		return
	}
	ratio, busiest := skewOf(b.loads)
	b.report.SkewRatio, b.report.SkewApplicable = ratio, true
	if ratio <= b.limits.PartitionSkew {
		return
	}
	f := b.finding(PartitionUnbalanced, "topic", busiest, -1)
	f.Count, f.Observed, f.Threshold, f.Unit = 1, ratio, b.limits.PartitionSkew, "ratio"
	f.FirstTime, f.LastTime = Time(b.first), Time(b.latest)
	most := int64(0)
	for name, l := range b.symbols {
		if l.partition == busiest && (l.ticks > most || l.ticks == most && ShowBytes(name) < f.Symbol) {
			most, f.Symbol = l.ticks, ShowBytes(name)
		}
	}
	f.Evidence["loads"] = bounded(b.loads)
	f.Evidence["one_symbol_exceeds"] = float64(most) > ratioLimit(b.limits.PartitionSkew, ticks, b.partitions)
	f.Cause = fmt.Sprintf("partition %d carries %d of %d ticks, %.2f times the mean; its hottest symbol is %s with %d",
		busiest, b.loads[busiest], ticks, ratio, f.Symbol, most)
	b.listed = append(b.listed, *f)
}

// ratioLimit is the load at which a partition reaches the threshold.
func ratioLimit(threshold float64, ticks int64, partitions int32) float64 {
	return threshold * float64(ticks) / float64(partitions)
}

// finish fills the report.
func (b *batch) finish() *Report {
	r := b.report
	for _, c := range []Code{ClockSkew, StaleTick} {
		if f := b.episodes[c]; f != nil {
			f.Cause = fmt.Sprintf("%s older than the budget, by %.3f ms at worst (symbol %s)", plural(f.Count, "tick"), f.Observed, f.Symbol)
			if c == StaleTick {
				f.Evidence["kind"] = kindOld
			} else {
				f.Cause = fmt.Sprintf("%s ahead of the clock, by %.3f ms at worst (symbol %s)", plural(f.Count, "tick"), f.Observed, f.Symbol)
			}
			b.listed = append(b.listed, *f)
		}
	}
	for name, f := range b.late {
		f.Cause = fmt.Sprintf("event time of %s on partition %d went back %s, by %.6f ms at worst", f.Symbol, *f.Partition, plural(f.Count, "time"), f.Observed)
		f.Evidence["symbol_ticks"] = b.symbols[name].ticks
		b.listed = append(b.listed, *f)
	}
	sortFindings(b.listed)
	r.list(b.listed, b.limits.FindingsPerReport)
	b.fillLoads()
	r.WindowStart, r.WindowEnd = Time(b.first), Time(b.latest)
	if b.latest > b.first {
		r.Throughput = float64(r.TotalTicks) / (float64(b.latest-b.first) / 1e9)
	}
	if b.limits.MaxTickAge > 0 && b.maxAge != NoTime {
		ms := millis(b.maxAge)
		r.MaxTickAgeMs = &ms
	}
	r.Notes = b.notes()
	return r
}

// fillLoads fills what the report says by partition and by symbol.
func (b *batch) fillLoads() {
	r, limit := b.report, b.limits.SymbolsPerReport
	r.Partitions, r.Symbols, r.OutOfOrderTotal = b.partitions, int64(len(b.symbols)), int64(len(b.late))
	loaded := 0
	for id, n := range b.loads {
		r.PartitionTicks[strconv.Itoa(id)] = n
		r.TotalTicks += n
		if n > 0 {
			loaded++
			r.Assigned = int32(id)
		}
	}
	if loaded != 1 {
		r.Assigned = -1
	}
	r.Counts.Records, r.Counts.Ticks = r.TotalTicks, r.TotalTicks
	var busy, late []SymbolLoad
	for name, l := range b.symbols {
		busy = rank(busy, name, l.ticks, limit)
		late = rank(late, name, l.disorder, limit)
	}
	for _, s := range busy {
		r.SymbolsMap[ShowBytes(s.Symbol)] = b.symbols[s.Symbol].partition
	}
	for _, s := range late {
		r.OutOfOrder = append(r.OutOfOrder, ShowBytes(s.Symbol))
	}
}

func (b *batch) notes() string {
	n := ""
	if b.now == NoTime {
		n += "age and clock skew not judged: no clock; "
	} else if b.limits.MaxTickAge == 0 {
		n += "age not judged: max.tick.age.ms is not set; "
	}
	if b.report.MaxLagTicks == nil {
		n += "lag unknown: no consumed offset is known; "
	}
	if !b.report.SkewApplicable {
		n += "skew not judged: fewer symbols than partitions, or too few ticks; "
	}
	return n + "one batch, by the hash " + b.hash.String()
}
