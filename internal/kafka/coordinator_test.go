package kafka_test

import (
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A cluster that nobody has used a group on yet answers that its coordinator
// is not available; a first start must not fail by it.
func TestFirstGroupOfAClusterIsWaitedFor(t *testing.T) {
	cluster := kafkatest.Fake(t)
	var refused atomic.Int32
	cluster.Kfake.ControlKey(kmsg.FindCoordinator.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.Kfake.KeepControl()
		if refused.Add(1) > 12 {
			return nil, nil, false
		}
		request := r.(*kmsg.FindCoordinatorRequest)
		response := request.ResponseKind().(*kmsg.FindCoordinatorResponse)
		response.ErrorCode = kerr.CoordinatorNotAvailable.Code
		for _, key := range request.CoordinatorKeys {
			c := kmsg.NewFindCoordinatorResponseCoordinator()
			c.Key, c.ErrorCode = key, kerr.CoordinatorNotAvailable.Code
			response.Coordinators = append(response.Coordinators, c)
		}
		return response, nil, true
	})
	a := connect(t, configured(t, cluster.Brokers))
	group := cluster.Group(t)
	if err := a.GroupInUse(t.Context(), group); err != nil {
		t.Errorf("a group that nobody uses: %v", err)
	}
	if offsets, err := a.CommittedOffsets(t.Context(), group); err != nil || len(offsets) != 0 {
		t.Errorf("offsets %v, %v", offsets, err)
	}
	if refused.Load() < 12 {
		t.Errorf("only %d requests were refused: the test shows nothing", refused.Load())
	}
}

// A coordinator that has died is still named for some seconds; a start in that
// time must not fail by it.
func TestADeadCoordinatorIsWaitedFor(t *testing.T) {
	cluster := kafkatest.Fake(t)
	dead := int32(kafkatest.FreePort())
	var named atomic.Int32
	cluster.Kfake.ControlKey(kmsg.FindCoordinator.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.Kfake.KeepControl()
		if named.Add(1) > 3 {
			return nil, nil, false
		}
		request := r.(*kmsg.FindCoordinatorRequest)
		response := request.ResponseKind().(*kmsg.FindCoordinatorResponse)
		for _, key := range request.CoordinatorKeys {
			c := kmsg.NewFindCoordinatorResponseCoordinator()
			c.Key, c.NodeID, c.Host, c.Port = key, 77, "127.0.0.1", dead
			response.Coordinators = append(response.Coordinators, c)
		}
		return response, nil, true
	})
	a := connect(t, configured(t, cluster.Brokers))
	if err := a.GroupInUse(t.Context(), cluster.Group(t)); err != nil {
		t.Errorf("a group that nobody uses: %v", err)
	}
	if named.Load() < 3 {
		t.Errorf("the dead one was named only %d times: the test shows nothing", named.Load())
	}
}
