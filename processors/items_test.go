package processors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// Records of several ticks, over a restart between them: each tick is judged
// once, each record is counted once, and what is no tick is ignored.
func TestRecordsOfSeveralTicks(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 1)
		arrays := func(r *rig) {
			r.cfg.Decoder = func() (codecs.TickDecoder, error) {
				return codecs.NewJSON(codecs.Fields{Symbol: "d[].s", Timestamp: "d[].t", Kind: "d[].k", Ticks: []string{"T"}})
			}
		}
		batch := func(i int) *kgo.Record {
			at := t0 + int64(i)*1e9
			value := fmt.Sprintf(`{"d":[{"k":"T","s":"QXA","t":%d},{"k":"T","s":"QXB","t":%d},{"k":"status"},{"k":"T","t":%d},{"k":"T","s":"QXA","t":%d}]}`, at, at, at, at-5e8)
			return &kgo.Record{Topic: r.topic(), Key: []byte("QXA"), Value: []byte(value), Timestamp: time.Unix(0, at)}
		}
		for half := range 2 {
			var records []*kgo.Record
			for i := range 20 {
				records = append(records, batch(half*20+i))
			}
			r.produce(append(records, &kgo.Record{Topic: r.topic(), Key: []byte("QXA"), Value: []byte(`{"pong":1}`), Timestamp: time.Unix(0, t0+int64(half*20+19)*1e9)})...)
			r.audit(arrays)
		}
		k := r.final(r.topic()).Counts
		if k.Records != 42 || k.Batched != 160 || k.Ticks != 120 || k.Unusable != 40 || k.Ignored != 42 || k.Disorder != 40 || k.KeyDiffers != 40 || !k.Whole() {
			t.Errorf("counts %+v", k)
		}
		if got := r.committed(r.topic(), 0); got != 42 {
			t.Errorf("committed %d, want 42", got)
		}
	})
}
