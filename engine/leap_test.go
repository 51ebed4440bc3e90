package engine

import "testing"

// replayedAt judges a tick a record time, as a replay does, and gives the
// partition.
func replayedAt(seconds ...int64) *Partition {
	l := DefaultLimits()
	l.Replay = true
	p := NewPartition("ticks", 0, 1, &l)
	for i, s := range seconds {
		at := int64(1735831800_000000000) + s*second
		p.Observe(&Tick{Offset: int64(i), RecordTime: at, EventTime: at, Symbol: []byte("QXA"), Key: []byte("QXA"), Unit: UnitNanos}, NoTime)
	}
	return p
}

// One record time that is wrong by years, or by hours, holds up nothing.
func TestWrongRecordTimeMovesNoReplay(t *testing.T) {
	for _, wrong := range []int64{75 * 365 * 86400, 7200} {
		p := replayedAt(0, 1, wrong, 2, 3, wrong, 14, 25)
		if late := p.row.Counts.Late; late != 0 || p.row.Watermark != int64(1735831825_000000000) {
			t.Errorf("ahead by %d s: %d late records, time %d", wrong, late, p.row.Watermark)
		}
	}
}

// After a pause the second record shows that time has gone on, and a restart
// between the two changes nothing.
func TestPauseOfAReplay(t *testing.T) {
	const pause = 2 * 86400
	p := replayedAt(0, 1, pause)
	if p.row.Watermark != int64(1735831801_000000000) {
		t.Errorf("a leap was believed by itself: time %d", p.row.Watermark)
	}
	s := p.Snapshot()
	q := NewPartition("ticks", 0, 1, p.limits)
	q.RestorePartition(s.PartitionRow)
	for _, r := range s.Rows {
		q.RestoreSymbol(r)
	}
	at := int64(1735831800_000000000) + (pause+1)*second
	q.Observe(&Tick{Offset: 3, RecordTime: at, EventTime: at, Symbol: []byte("QXA"), Key: []byte("QXA"), Unit: UnitNanos}, NoTime)
	if q.row.Watermark != at || q.row.Counts.Late != 0 {
		t.Errorf("after a pause: time %d, %d late", q.row.Watermark, q.row.Counts.Late)
	}
}
