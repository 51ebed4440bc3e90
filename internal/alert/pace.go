package alert

import "time"

// pace is a token bucket: rate requests a minute, a tenth of that at once.
type pace struct {
	interval time.Duration
	burst    int
	tokens   int
	at       time.Time // when the last token was added
}

func newPace(perMinute int) *pace {
	burst := max(1, perMinute/10)
	return &pace{interval: time.Minute / time.Duration(perMinute), burst: burst, tokens: burst}
}

// take returns 0 when a request may be sent now, or how long it has to wait.
func (p *pace) take(now time.Time) time.Duration {
	if p.at.IsZero() {
		p.at = now
	}
	if added := int(now.Sub(p.at) / p.interval); added > 0 {
		p.tokens = min(p.burst, p.tokens+added)
		p.at = p.at.Add(time.Duration(added) * p.interval)
	}
	if p.tokens > 0 {
		p.tokens--
		return 0
	}
	return p.at.Add(p.interval).Sub(now)
}

// backoff doubles the wait between attempts.
type backoff struct{ last time.Duration }

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
)

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, firstWait), longestWait)
	return b.last
}

func (b *backoff) reset() { b.last = 0 }
