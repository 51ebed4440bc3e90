package demo

import "time"

// injector passes the market's ticks through the faults that are on.
type injector struct {
	faults  []*Fault
	started bool
	shift   time.Duration  // the market's time at which the faults' own time starts
	touched map[*Fault]int // messages that the fault has altered
	// begun is called when a fault alters its first message, ended when its
	// time is over; both may be nil.
	begun func(f *Fault, at time.Duration)
	ended func(f *Fault, at time.Duration)
	over  map[*Fault]bool
	// found says whether all of a fault was found; nil: at once.
	found    func(f *Fault) bool
	patience time.Duration
}

func newInjector(faults []*Fault) *injector {
	return &injector{faults: faults, touched: map[*Fault]int{}, over: map[*Fault]bool{}}
}

// start lets the faults' time begin at a time since the market opened; before
// it no fault is on.
func (in *injector) start(at time.Duration) { in.started, in.shift = true, at }

// inject gives what the producers write in place of one tick.
func (in *injector) inject(t Tick) []Message {
	out := []Message{message(t)}
	if !in.started {
		return out
	}
	for _, f := range in.faults {
		if in.over[f] || !f.on(t.At-in.shift, in.patience, in.wasFound) {
			in.end(f, t.At)
			continue
		}
		if !f.touches(t.Symbol) {
			continue
		}
		if in.touched[f] == 0 && in.begun != nil {
			in.begun(f, t.At)
		}
		if len(out) == 0 {
			continue // another fault has swallowed the tick
		}
		out = append(f.alter(out[0], in.touched[f]), out[1:]...)
		in.touched[f]++
	}
	return out
}

func (in *injector) wasFound(f *Fault) bool { return in.found == nil || in.found(f) }

func (in *injector) end(f *Fault, at time.Duration) {
	if in.over[f] || in.touched[f] == 0 {
		return
	}
	in.over[f] = true
	if in.ended != nil {
		in.ended(f, at)
	}
}
