package engine

import "fmt"

const (
	// clockSweeps is how many sweeps, about one a second, after a step of its
	// own clock the audit does not judge by it, and a finding of it lasts.
	clockSweeps = 60
	// sameStep is how far apart the partitions of one process may notice a
	// step of its clock.
	sameStep = 5 * second

	clockSubject = "auditor clock"
)

// ClockStep is a step of the wall clock of the process that audits a
// partition, against its monotonic clock.
type ClockStep struct {
	At   int64 `json:"at"`   // the wall clock behind the step
	Step int64 `json:"step"` // nanoseconds, negative: it was set back
}

// ClockStepped tells a partition that the wall clock was moved by step and is
// now at now. For about a minute nothing is judged by the wall clock, and
// silence counts from the end of that minute.
func (p *Partition) ClockStepped(step, now int64) {
	p.progress.unsure = clockSweeps
	p.stepped = &ClockStep{At: now, Step: step}
	p.changed, p.urgent = true, true
	for _, s := range p.symbols {
		// A tick that was seen by the clock of before may lie in the future of
		// the one of now.
		s.lastSeen = min(s.lastSeen, max(now, p.row.Watermark))
	}
}

// settleClock counts the sweeps down during which the clock is not trusted,
// and reports whether it still is not.
func (p *Partition) settleClock(now int64) (unsure bool) {
	g := &p.progress
	if g.unsure == 0 {
		return false
	}
	if g.unsure--; g.unsure == 0 {
		g.since, p.nextSilence = now, NoTime
	}
	return true
}

// hearClock takes a step of the clock of one of the audit's processes.
func (t *Topic) hearClock(s *ClockStep) {
	f := t.find(clockSubject)
	opened := f == nil
	if !opened && s.At-int64(f.LastTime) < sameStep && int64(f.LastTime)-s.At < sameStep {
		return // by another partition of the same process
	}
	if opened {
		f = t.newFinding(AuditorClock, clockSubject, -1)
		f.FirstTime, f.Unit = Time(s.At), "ms"
	}
	t.clockQuiet = 0
	f.Count++
	f.LastTime = Time(s.At)
	if abs(s.Step) > abs(int64(f.Observed*1e6)) {
		f.Observed = millis(s.Step)
		way := "ahead"
		if s.Step < 0 {
			way = "back"
		}
		f.Evidence["step_ns"] = s.Step
		f.Cause = fmt.Sprintf("the audit's own wall clock was set %s by %s against its monotonic clock", way, showDuration(abs(s.Step)))
		if hint := skewHint(abs(s.Step)); hint != "" {
			f.Evidence["hint"] = hint[2:]
		}
	}
	f.Evidence["not_judged"] = "age, skew and silence by the wall clock, for a minute"
	if opened {
		t.openFinding(clockSubject, f)
	} else {
		t.update(clockSubject)
	}
}

// sweepClock ends the finding a minute after the last step.
func (t *Topic) sweepClock() {
	if t.find(clockSubject) == nil {
		return
	}
	if t.clockQuiet++; t.clockQuiet >= clockSweeps {
		t.close(clockSubject)
	}
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
