package alert_test

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// makeAnew deletes the audit topic and makes one of the same name.
func (w *world) makeAnew(t *testing.T) {
	t.Helper()
	admin := w.Admin(t)
	if _, err := admin.DeleteTopic(t.Context(), w.o.Topic); err != nil {
		t.Fatal(err)
	}
	kafkatest.Eventually(t, "the topic to be made anew", func() bool {
		made, err := admin.CreateTopic(t.Context(), 1, 1, nil, w.o.Topic)
		return err == nil && made.Err == nil
	})
	// Brokers take a moment to know its id.
	kafkatest.Eventually(t, "the topic to take records", func() bool {
		return w.Client(t).ProduceSync(t.Context(), &kgo.Record{Topic: w.o.Topic, Value: []byte("no report")}).FirstErr() == nil
	})
}

// What the table holds is told to its end however far back that lies and
// however many reports follow.
func TestAnEndFarBackIsToldWithoutOffsets(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 1, e)
		first := w.start(t)
		w.begun(t)
		w.age = 3 * time.Hour
		w.tell(t, 0, "+a", "+b")
		w.hears(t, e, "+a +b")
		w.commits(t)
		first.end(t)
		w.dropOffsets(t)
		w.tell(t, 0, "-a")
		filler := make([]string, 1200) // more than two polls read
		for i := range filler {
			filler[i] = "-of another life"
		}
		w.tell(t, 0, filler...)
		second := w.start(t)
		w.hears(t, e, "+a +b -a")
		w.commits(t)
		second.end(t)
		third := w.start(t)
		w.tell(t, 0, "-b")
		w.hears(t, e, "+a +b -a -b")
		third.end(t)
	})
}

// Offsets of a topic that was deleted say nothing of one of the same name, not
// those of the rows and not those that the group still has.
func TestATopicMadeAnewIsReadFromItsStart(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		for _, stale := range []bool{false, true} {
			e := &ear{}
			w := newWorld(t, c, 1, e)
			first := w.start(t)
			w.begun(t)
			w.tell(t, 0, "+x", "-x", "+a", "+b")
			w.hears(t, e, "+x -x +a +b")
			w.commits(t)
			first.end(t)
			former, err := w.Admin(t).FetchOffsets(t.Context(), w.o.Group)
			if err != nil {
				t.Fatal(err)
			}
			w.makeAnew(t)
			w.tell(t, 0, "-a", "+c", "+d", "-d", "+e") // past the former offsets
			if stale {
				_, err := w.Admin(t).LeaveGroup(t.Context(), kadm.LeaveGroup(w.o.Group).InstanceIDs(w.o.Instance))
				if err != nil {
					t.Fatal(err)
				}
				kafkatest.Eventually(t, "the former offsets to be back", func() bool {
					back, err := w.Admin(t).CommitOffsets(t.Context(), w.o.Group, former.Offsets())
					return err == nil && back.Error() == nil
				})
			}
			second := w.start(t)
			w.hears(t, e, "+x -x +a +b -a +c +e")
			w.tell(t, 0, "-b")
			w.hears(t, e, "+x -x +a +b -a +c +e -b")
			w.commits(t)
			second.end(t)
			w.tell(t, 0, "-c", "+f", "-f")
			third := w.start(t)
			w.hears(t, e, "+x -x +a +b -a +c +e -b -c +f -f")
			third.end(t)
		}
	})
}

// A client reads no topic that was made anew under it; the bridge does.
func TestATopicMadeAnewUnderARunningBridgeIsRead(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 1, e)
		l := w.start(t)
		w.begun(t)
		w.tell(t, 0, "+x", "-x", "+a")
		w.hears(t, e, "+x -x +a")
		w.makeAnew(t)
		w.tell(t, 0, "-a")
		w.hears(t, e, "+x -x +a -a")
		w.tell(t, 0, "+b")
		w.hears(t, e, "+x -x +a -a +b")
		l.end(t)
	})
}

// When the audit topic grows, the end of an alert lies on another partition than
// its beginning.
func TestAnAlertEndsOnAnotherPartition(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{repeats: true}
		w := newWorld(t, c, 1, e)
		first := w.start(t)
		w.begun(t)
		w.tell(t, 0, "+a", "+b")
		w.hears(t, e, "+a +b")
		w.commits(t)
		first.end(t)
		w.Grow(t, 3, w.o.Topic, w.o.Table)
		kafkatest.Eventually(t, "the new partitions to have leaders", func() bool {
			ends, err := w.Admin(t).ListEndOffsets(t.Context(), w.o.Topic, w.o.Table)
			return err == nil && ends.Error() == nil && len(ends[w.o.Topic]) == 3 && len(ends[w.o.Table]) == 3
		})
		w.tell(t, 2, "-a")
		second := w.start(t)
		kafkatest.Eventually(t, "the end of a", func() bool { return strings.Contains(e.heard(), "-a") })
		w.tell(t, 1, "-b")
		kafkatest.Eventually(t, "the end of b", func() bool { return strings.Contains(e.heard(), "-b") })
		w.commits(t)
		second.end(t)
		before := e.heard()
		third := w.start(t) // it repeats what is open: nothing
		w.tell(t, 0, "+c")
		w.hears(t, e, before+" +c")
		third.end(t)
	})
}
