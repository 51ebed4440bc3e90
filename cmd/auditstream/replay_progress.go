package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/auditstream/auditstream/internal/capture"
)

// progressEvery is the time between two lines of progress where no terminal
// shows a bar.
const progressEvery = 10 * time.Second

// replayProgress tells on stderr how far a replay is: a bar with rate and
// time left on a terminal, a line every ten seconds elsewhere, nothing with
// --quiet.
type replayProgress struct {
	w              io.Writer
	in             *capture.Input
	quiet          bool
	bar            *progressbar.ProgressBar
	started, spoke time.Time
}

func (a *app) newProgress(in *capture.Input) *replayProgress {
	now := time.Now()
	p := &replayProgress{w: a.err, in: in, quiet: a.quiet, started: now, spoke: now}
	if !a.quiet && isTerminal(a.err) {
		p.bar = progressbar.NewOptions64(in.Size,
			progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription("replay"), progressbar.OptionShowBytes(true),
			progressbar.OptionEnableColorCodes(a.colour(a.err)), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// at tells that many records have been read.
func (p *replayProgress) at(records int64) {
	if p.bar != nil {
		_ = p.bar.Set64(p.in.Consumed()) // a bar that cannot be drawn is no fault of the audit
		return
	}
	now := time.Now()
	if p.quiet || now.Sub(p.spoke) < progressEvery {
		return
	}
	p.spoke = now
	rate := float64(records) / now.Sub(p.started).Seconds()
	if p.in.Size > 0 {
		fmt.Fprintf(p.w, "replay: %d records, %.0f a second, %d%% of %s\n", records, rate, 100*p.in.Consumed()/p.in.Size, p.in.Name)
		return
	}
	fmt.Fprintf(p.w, "replay: %d records, %.0f a second\n", records, rate)
}

// say writes a line that a person should see, bar or not.
func (p *replayProgress) say(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

// end removes the bar.
func (p *replayProgress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
