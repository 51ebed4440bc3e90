package demo

import "time"

// Schedule says when each fault is on, since the faults began, and how long
// the whole takes.
type Schedule struct {
	Length time.Duration // of the session
	Faults []*Fault
}

// window gives a fault its time; a fault without an end lasts to the close.
func (f *Fault) window(from, until time.Duration) *Fault {
	f.From, f.Until = from, until
	return f
}

// Minute is the schedule of `auditstream demo`: one fault after another, with
// time to see each of them resolve.
func Minute(f *Format) Schedule {
	const s = time.Second
	return Schedule{Length: 60 * s, Faults: []*Fault{
		garbage().window(5*s, 7*s),
		strayFormat(f).window(6*s, 8*s),
		sequenceGap().window(7*s, 9*s),
		disorder().window(9*s, 12*s),
		unitChange().window(12*s, 14*s),
		skewedClock().window(15*s, 18*s),
		backfill().window(18*s, 20*s),
		stalledSymbol().window(20*s, 30*s),
		venueClock(f).window(31*s, 34*s),
		crc32Producer().window(32*s, 0),
		frozenSymbol().window(34*s, 44*s),
		haltedSymbol().window(36*s, 47*s),
		hotSymbol().window(37*s, 46*s),
	}}
}

// Brief is the same in a fraction of the time, faults overlapping: each has
// its own symbol, so none hides another, and the clock faults, of which two
// within 10 s are one finding, are apart.
func Brief(f *Format) Schedule {
	const s = time.Second
	return Schedule{Length: 20 * s, Faults: []*Fault{
		skewedClock().window(1*s, 2*s),
		garbage().window(1*s, 3*s),
		strayFormat(f).window(2*s, 4*s),
		sequenceGap().window(1*s, 4*s),
		unitChange().window(2*s, 4*s),
		backfill().window(3*s, 5*s),
		frozenSymbol().window(3*s, 12*s),
		haltedSymbol().window(4*s, 13*s),
		disorder().window(2*s, 4*s),
		stalledSymbol().window(4*s, 12*s),
		crc32Producer().window(5*s, 0),
		hotSymbol().window(6*s, 14*s),
		venueClock(f).window(13*s, 16*s),
	}}
}
