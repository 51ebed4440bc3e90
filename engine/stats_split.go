package engine

// Split cuts statistics into parts that each hold at most n findings,
// sightings and windows, to be folded in order: a checkpoint after a storm, or
// after a year of history was read, would outgrow a message. The last part
// says what the whole says; folding a part twice changes nothing.
func (s *PartitionStats) Split(n int) []*PartitionStats {
	if n = max(n, 1); len(s.Findings)+len(s.Sightings)+len(s.Windows) <= n {
		return []*PartitionStats{s}
	}
	var out []*PartitionStats
	findings, sightings, windows := s.Findings, s.Sightings, s.Windows
	for first := true; first || len(findings)+len(sightings)+len(windows) > 0; first = false {
		part, room := *s, n
		part.Reset = s.Reset && first
		if !first {
			part.Skews, part.Clock = nil, nil
		}
		part.Ranked, part.Top, part.Late = false, nil, nil
		// Findings go first, so that the reports of the windows list them.
		part.Findings, findings = cut(findings, &room)
		part.Sightings, sightings = cut(sightings, &room)
		part.Windows, windows = cut(windows, &room)
		if len(windows) > 0 {
			part.Passed, part.CaughtUp = windows[0].Start, false
		} else if len(findings)+len(sightings) > 0 {
			part.CaughtUp = false
		}
		out = append(out, &part)
	}
	last := out[len(out)-1]
	last.Ranked, last.Top, last.Late = s.Ranked, s.Top, s.Late
	return out
}

// cut takes at most room items off a list.
func cut[T any](l []T, room *int) (taken, rest []T) {
	k := min(*room, len(l))
	*room -= k
	return l[:k:k], l[k:]
}
