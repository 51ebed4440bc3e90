package processors_test

import (
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

const (
	sigterm = syscall.SIGTERM
	sigstop = syscall.SIGSTOP
	sigcont = syscall.SIGCONT
)

// refusal refuses produce requests to one topic of a kfake cluster.
type refusal struct {
	on      atomic.Bool
	refused atomic.Int64
}

func refuseProduce(c *kafkatest.Cluster, topic string) *refusal {
	r := &refusal{}
	r.on.Store(true)
	c.Kfake.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		produce := request.(*kmsg.ProduceRequest)
		if !r.on.Load() {
			return nil, nil, false
		}
		response := produce.ResponseKind().(*kmsg.ProduceResponse)
		hit := false
		for _, t := range produce.Topics {
			rt := kmsg.NewProduceResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewProduceResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, kerr.NotEnoughReplicas.Code
				rt.Partitions = append(rt.Partitions, rp)
			}
			hit = hit || t.Topic == topic || t.Topic == ""
			response.Topics = append(response.Topics, rt)
		}
		if !hit {
			return nil, nil, false
		}
		r.refused.Add(1)
		return response, nil, true
	})
	return r
}

func (r *refusal) end() { r.on.Store(false) }

func (r *refusal) awaitRefused(t *testing.T, n int64) {
	t.Helper()
	kafkatest.Eventually(t, "produce requests to be refused", func() bool { return r.refused.Load() >= n })
}
