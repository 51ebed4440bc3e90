package processors

import (
	"context"
	"sync"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// settingsWatch reads the settings of the tick topics now and then, where this
// instance judges whole topics.
type settingsWatch struct {
	read func(context.Context) (map[string]engine.TopicSettings, error)

	mu     sync.Mutex
	latest map[string]engine.TopicSettings
	at     time.Time // of the latest, zero: none was read
	asked  time.Time
}

// last is the latest that was read; to ask for it keeps the watch going.
func (w *settingsWatch) last() (map[string]engine.TopicSettings, time.Time) {
	if w == nil {
		return nil, time.Time{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = time.Now()
	return w.latest, w.at
}

func (w *settingsWatch) due() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.asked) < lagUnasked && time.Since(w.at) >= settingsEvery
}

// run reads until the context ends. What cannot be read leaves the settings as
// they were, and is tried again a minute later.
func (w *settingsWatch) run(ctx context.Context) {
	if w.read == nil {
		return
	}
	ticker := time.NewTicker(lagEvery)
	defer ticker.Stop()
	for {
		if w.due() {
			w.round(ctx)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// final reads once, where FINAL reports would say nothing of settings otherwise.
func (w *settingsWatch) final(ctx context.Context) {
	if w == nil || w.read == nil {
		return
	}
	if _, at := w.last(); at.IsZero() {
		w.round(ctx)
	}
}

func (w *settingsWatch) round(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lagTimeout)
	defer cancel()
	settings, err := w.read(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at = time.Now(); err == nil {
		w.latest = settings
	}
}
