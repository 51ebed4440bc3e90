package demo

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/subscribe"
	"github.com/auditstream/auditstream/internal/view"
)

// story tells the demo as it goes, and keeps the ledger. Feed, audit and
// subscriber tell it from goroutines of their own.
type story struct {
	out         io.Writer
	style       view.Style
	firstReport chan struct{} // closed by the first report of the whole topic
	settled     chan struct{} // closed once every fault was found

	mu      sync.Mutex
	began   time.Time
	tracker view.Tracker
	ledger  *ledger
	first   sync.Once
	last    sync.Once
}

func newStory(o Options) *story {
	return &story{
		out: o.Out, style: o.Style, began: time.Now(), ledger: newLedger(o.Schedule.Faults),
		firstReport: make(chan struct{}), settled: make(chan struct{}),
	}
}

// head says what runs and where to look at it.
func (s *story) head(broker, registry string, f *Format) {
	s.announce("market", fmt.Sprintf("%d symbols on %d partitions of topic %s, %s", symbolCount, partitionCount, Topic, f.Says))
	s.announce("broker", broker+" (any Kafka client may connect: kcat -b "+broker+" -t "+Topic+" -C)")
	if registry != "" {
		s.announce("registry", registry+" (schema "+fmt.Sprint(schemaID)+")")
	}
	s.announce("reports", "topic "+auditTopic+", read committed")
}

// announce prints one line of the head.
func (s *story) announce(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "%-8s %s\n", name, value)
}

// say prints one line under the time since the demo began; mu is held.
func (s *story) say(at time.Time, text string) {
	fmt.Fprintf(s.out, "%s  %s\n", s.style.Dim(clock(at.Sub(s.began))), text)
}

func (s *story) faultOn(f *Fault, _ time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.ledger.injected(f, now)
	s.say(now, s.style.Bold("FAULT ON   "+f.Name)+": "+f.Does)
}

func (s *story) faultOff(f *Fault, _ time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(time.Now(), s.style.Bold("FAULT OFF  "+f.Name))
}

// report takes one record of the audit topic.
func (s *story) report(r subscribe.Report) error {
	if r.Err != nil {
		return r.Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if r.Report.Scope == engine.ScopeTopic {
		s.first.Do(func() {
			s.say(now, "the audit runs: first report of the topic, "+s.style.Good(r.Report.Status.String()))
			close(s.firstReport)
		})
	}
	events := s.tracker.Events(r.Report)
	for i := range events {
		f := &events[i]
		s.ledger.found(f, now)
		fmt.Fprint(s.out, s.style.Dim(clock(now.Sub(s.began))), s.style.Block("  ", f))
	}
	for i := range r.Report.Findings {
		s.ledger.mentioned(&r.Report.Findings[i])
	}
	if s.ledger.settled() {
		s.last.Do(func() { close(s.settled) })
	}
	return nil
}

// found says whether all that a fault must bring about was found.
func (s *story) found(f *Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.foundAll(f)
}

// running says whether a report has come.
func (s *story) running() bool {
	select {
	case <-s.firstReport:
		return true
	default:
		return false
	}
}

func (s *story) summary(ticks int64, early bool) *Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Summary{Outcomes: s.ledger.outcomes, Harmless: s.ledger.harmless, Others: s.ledger.others, Ticks: ticks, Early: early}
}
