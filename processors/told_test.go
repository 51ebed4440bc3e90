package processors

import (
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func TestWhatIsOpenIsKnownAfterARestartToo(t *testing.T) {
	s := NewStatus()
	partition := int32(2)
	since := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	finding := func(id string, state engine.State, at time.Time) engine.Finding {
		return engine.Finding{ID: id, Code: engine.UpstreamDisorder, State: state, Topic: "ticks", Partition: &partition,
			FirstOffset: 5, FirstTime: engine.Time(at.UnixNano())}
	}
	tell := func(trigger engine.Trigger, findings ...engine.Finding) {
		s.reported(&engine.Report{Trigger: trigger, Topic: "ticks", Partition: &partition, Findings: findings})
	}
	tell(engine.TriggerInterval, finding("before", engine.Updated, since))
	tell(engine.TriggerFinding, finding("a", engine.Opened, since.Add(time.Minute)))
	tell(engine.TriggerInterval, finding("before", engine.Updated, since), finding("a", engine.Opened, since.Add(time.Minute)))
	got := s.Stats()
	if n, opened := got.Open[engine.UpstreamDisorder], got.Opened[engine.UpstreamDisorder]; n != 2 || opened != 1 {
		t.Errorf("%d are open and %d opened, want 2 and 1", n, opened)
	}
	if at := got.OpenSince[engine.UpstreamDisorder]; !at.Equal(since) {
		t.Errorf("open since %s", at)
	}
	tell(engine.TriggerFinding, finding("before", engine.Resolved, since))
	if got = s.Stats(); got.Open[engine.UpstreamDisorder] != 1 || !got.OpenSince[engine.UpstreamDisorder].Equal(since.Add(time.Minute)) {
		t.Errorf("open are %v since %v", got.Open, got.OpenSince)
	}
	s.dropPartitions() // another instance tells of them now
	if got = s.Stats(); len(got.Open) != 0 || len(got.OpenSince) != 0 {
		t.Errorf("open are %v since %v", got.Open, got.OpenSince)
	}
}

func TestATopicStandsAsItsLastWindowSays(t *testing.T) {
	s := NewStatus()
	s.reported(&engine.Report{Trigger: engine.TriggerInterval, Topic: "ticks", Status: engine.StatusSkew})
	s.reported(&engine.Report{Trigger: engine.TriggerInterval, Topic: "ticks", Status: engine.StatusHealthy, SkewRatio: 1.5, SkewApplicable: true})
	partition := int32(0)
	s.reported(&engine.Report{Trigger: engine.TriggerInterval, Topic: "ticks", Partition: &partition, Status: engine.StatusLag})
	want := TopicStatus{Topic: "ticks", Status: engine.StatusHealthy, Skew: 1.5, SkewKnown: true}
	if got := s.Stats().Topics; len(got) != 1 || got[0] != want {
		t.Errorf("got %+v", got)
	}
}
