package engine

// Waiting is the number of reports that no snapshot has taken yet.
func (p *Partition) Waiting() int { return len(p.out) }

// WindowClosed reports whether a window was closed since the last snapshot.
func (p *Partition) WindowClosed() bool { return len(p.closed) > 0 }

// EndWindow closes the open window of a partition whose input is over while
// others of the topic go on, so that their windows need not wait for it. What
// their time has to say about it is judged by Close, later.
func (p *Partition) EndWindow() {
	if p.row.Window.Start != NoTime || p.row.Window.Counts.Records > 0 {
		p.closeWindow(NoTime)
	}
}
