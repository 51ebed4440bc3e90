package kafka

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// coordinatorTimeout is how long a cluster may take to have a coordinator for
// a group: a new one makes its offsets topic when it is first asked.
const coordinatorTimeout = 20 * time.Second

// withCoordinator asks again while the group's coordinator is still to come, or
// a broker has gone that the cluster does not miss yet.
func withCoordinator(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, coordinatorTimeout)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := ask()
		if !coordinatorToCome(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// AwaitTransactions waits until the cluster has a coordinator for transactions:
// a new one makes its topic of them when it is first asked. sarama would wait
// for it in steps of seconds. What else is wrong is told by who needs it.
func (a *Admin) AwaitTransactions(ctx context.Context, id string) {
	_ = withCoordinator(ctx, func() error {
		request := kmsg.NewPtrFindCoordinatorRequest()
		request.CoordinatorType, request.CoordinatorKey, request.CoordinatorKeys = 1, id, []string{id}
		response, err := request.RequestWith(ctx, a.client)
		if err != nil {
			return err
		}
		if len(response.Coordinators) > 0 {
			return kerr.ErrorForCode(response.Coordinators[0].ErrorCode)
		}
		return kerr.ErrorForCode(response.ErrorCode)
	})
}

func coordinatorToCome(err error) bool {
	if dial := (*net.OpError)(nil); kgo.IsRetryableBrokerErr(err) || errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	return errors.Is(err, kerr.CoordinatorNotAvailable) || errors.Is(err, kerr.CoordinatorLoadInProgress) || errors.Is(err, kerr.NotCoordinator)
}
