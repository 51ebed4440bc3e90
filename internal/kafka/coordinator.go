package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// coordinatorTimeout is how long a cluster may take to have a coordinator for
// a group: a new one makes its offsets topic when it is first asked.
const coordinatorTimeout = 20 * time.Second

// withCoordinator asks again while the group's coordinator is still to come.
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

func coordinatorToCome(err error) bool {
	return errors.Is(err, kerr.CoordinatorNotAvailable) || errors.Is(err, kerr.CoordinatorLoadInProgress) || errors.Is(err, kerr.NotCoordinator)
}
