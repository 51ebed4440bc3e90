package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/replay"
)

// progressEvery is the time between two lines of progress where no terminal
// shows a bar.
const progressEvery = 10 * time.Second

// replayProgress tells on stderr how far a replay is: a bar with rate and
// time left on a terminal, a line every ten seconds elsewhere, nothing with
// --quiet.
type replayProgress struct {
	w              io.Writer
	in             *capture.Input // nil: what is replayed are offsets of Kafka
	quiet          bool
	bar            *progressbar.ProgressBar
	started, spoke time.Time
	before         int64 // done when the first was heard of: by an earlier run

	mu sync.Mutex
}

func (a *app) newProgress(in *capture.Input) *replayProgress {
	now := time.Now()
	p := &replayProgress{w: a.err, in: in, quiet: a.quiet, started: now, spoke: now, before: -1}
	if !a.quiet && isTerminal(a.err) {
		total := int64(-1)
		if in != nil {
			total = in.Size
		}
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription("replay"), progressbar.OptionShowBytes(in != nil),
			progressbar.OptionShowIts(), progressbar.OptionEnableColorCodes(a.colour(a.err)), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// at tells how far the replay is. It may be called beside note.
func (p *replayProgress) at(done replay.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before < 0 {
		p.before = done.Done
	}
	if p.bar != nil {
		// A bar that cannot be drawn is no fault of the audit.
		if p.in != nil {
			_ = p.bar.Set64(p.in.Consumed())
		} else {
			p.bar.ChangeMax64(max(1, done.Total))
			_ = p.bar.Set64(done.Done)
		}
		return
	}
	now := time.Now()
	if p.quiet || now.Sub(p.spoke) < progressEvery {
		return
	}
	p.spoke = now
	fmt.Fprintln(p.w, p.line(done, now.Sub(p.started)))
}

// line is the progress as one line.
func (p *replayProgress) line(done replay.Progress, after time.Duration) string {
	rate := float64(done.Done-p.before) / after.Seconds()
	switch {
	case p.in != nil && p.in.Size > 0:
		part := float64(p.in.Consumed()) / float64(p.in.Size)
		line := fmt.Sprintf("replay: %s, %.0f a second, %.0f%% of %s", engine.Plural(done.Done, "record"), rate, 100*part, p.in.Name)
		if part > 0 {
			line += ", " + left(after.Seconds()*(1-part)/part)
		}
		return line
	case done.Total > 0:
		line := fmt.Sprintf("replay: %d of %d offsets, %.0f%%, %.0f a second", done.Done, done.Total, 100*float64(done.Done)/float64(done.Total), rate)
		if rate > 0 {
			line += ", " + left(float64(done.Total-done.Done)/rate)
		}
		return line
	}
	return fmt.Sprintf("replay: %s, %.0f a second", engine.Plural(done.Done, "record"), rate)
}

func left(seconds float64) string {
	return (time.Duration(min(seconds, 1e9)) * time.Second).String() + " left"
}

// note writes a line that a person should see, bar or not.
func (p *replayProgress) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.w, "note: "+safeLines(fmt.Sprintf(format, args...)))
}

// noting hands reports on, and says so where a topic's last one rests on no
// record: its status then means nothing. So it does of record times that this
// machine's clock has not reached: they are no finding, which would depend on the
// day of the replay.
func (p *replayProgress) noting(report func(*engine.Report) error) func(*engine.Report) error {
	return func(r *engine.Report) error {
		if r.Scope != engine.ScopeTopic || r.Trigger != engine.TriggerFinal {
			return report(r)
		}
		ahead := time.Unix(0, int64(r.WindowEnd)).Sub(p.started)
		switch {
		case r.Counts.Records == 0:
			p.note("%s: no record was read, so nothing could be judged", r.Topic)
		case ahead > aheadNoted:
			p.note("%s: record times reach to %s, which the clock of this machine has not. Replay judges event times by record times: "+
				"ticks that are ahead by both are found by run, or with --now and the time by which they were written",
				r.Topic, time.Unix(0, int64(r.WindowEnd)).UTC().Format(time.RFC3339))
		}
		return report(r)
	}
}

// aheadNoted is how far record times may be ahead of this machine's clock, which
// may be slow itself.
const aheadNoted = time.Minute

// end removes the bar.
func (p *replayProgress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
