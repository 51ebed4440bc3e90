package replay

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// The client copies all that it knows to be paused each time it is told of more.
func TestPausesAreToldAtOnce(t *testing.T) {
	var lanes []*lane
	for p := range int32(3) {
		lanes = append(lanes, &lane{span: span{Partition: p, End: 10}})
	}
	var paused [][]int32
	var resumed []int32
	f := newFlow(lanes, func(lanes []*lane) {
		var partitions []int32
		for _, l := range lanes {
			partitions = append(partitions, l.Partition)
		}
		paused = append(paused, partitions)
	}, func(l *lane) { resumed = append(resumed, l.Partition) })

	large := make([]byte, laneBytes+1)
	f.push(lanes[0], []*kgo.Record{{Offset: 9}}) // its last
	f.push(lanes[1], []*kgo.Record{{Offset: 3, Value: large}})
	f.push(lanes[2], []*kgo.Record{{Offset: 9}})
	l, b, last := f.next()
	for l != lanes[1] {
		l, b, last = f.next()
	}
	f.done(l, b, nil, nil, last) // there is room again before anything was told
	f.tellPauses()
	f.tellPauses()
	if len(paused) != 1 || !slices.Equal(paused[0], []int32{0, 2}) || !slices.Equal(resumed, []int32{1}) {
		t.Errorf("paused %v, resumed %v; want 0 and 2 at once, 1 resumed", paused, resumed)
	}
}

func TestFetchesAreSmallBesideTheRate(t *testing.T) {
	for name, tc := range map[string]struct {
		rate int64
		most int32
		want int32
	}{
		"a quarter of the rate":         {4 << 20, 8 << 20, 1 << 20},
		"what is configured":            {1 << 30, 2 << 20, 2 << 20},
		"not so small that none comes":  {1 << 10, 8 << 20, 16 << 10},
		"no rate: the client's options": {0, 8 << 20, 50 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			c := kafkatest.Fake(t)
			topic := c.Topic(t, 2)
			c.Produce(t, market(topic, 2, 200, 1)...)
			var mu sync.Mutex
			var asked []int32
			c.Kfake.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
				c.Kfake.KeepControl()
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, r.(*kmsg.FetchRequest).MaxBytes)
				return nil, nil, false
			})
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			o := optionsFor(topic)
			o.MaxRate = tc.rate
			if _, err := playFrom(ctx, t, Cluster{Admin: c.Admin(t), Options: readerOptions(c), FetchBytes: tc.most}, o); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(asked) == 0 || slices.Max(asked) != tc.want || asked[0] != tc.want { // that which closes asks for 1
				t.Errorf("fetches asked for %v bytes, want %d", asked, tc.want)
			}
		})
	}
}
