package engine

// detectTimestampUnusable judges values without a usable event time.
func detectTimestampUnusable(p *Partition, t *Tick) {
	if t.Kind == Unusable && t.Reason.AboutTime() {
		p.fault(TimestampUnusable, t, "", "", t.Reason.String(), 0)
	}
}

func describeTimestampUnusable(p *Partition, e *Episode, f *Finding) {
	p.describeBad(e, f, "had no usable event time")
}
