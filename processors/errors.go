package processors

import (
	"context"
	"errors"
	"fmt"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
)

var (
	// errLost says that the partitions belong to somebody else by now: what is
	// not durable is discarded, and nothing is written or committed any more.
	errLost = errors.New("partitions lost")
	// errOutcome says that a transaction was to be committed and nobody knows
	// whether it was; only the table can tell.
	errOutcome = errors.New("outcome of the transaction unknown")
	// errGivenUp comes of a producer that was given up meanwhile.
	errGivenUp = errors.New("producer given up")
	// errStopped ends a member whose work is done.
	errStopped = errors.New("stopped")
)

// fatal is an error that no repetition will cure.
type fatal struct{ error }

func (e fatal) Unwrap() error { return e.error }

// BadRecordError ends a run under errors.tolerance=none.
type BadRecordError struct {
	Topic     string
	Partition int32
	Offset    int64
	Reason    string
}

func (e *BadRecordError) Error() string {
	return fmt.Sprintf("record at %s/%d, offset %d: %s", e.Topic, e.Partition, e.Offset, e.Reason)
}

// Try is the next step for the user.
func (e *BadRecordError) Try() string {
	return "mend the record's producer, or set errors.tolerance=all to have such records counted"
}

// InstanceError says that another process uses the same instance.id.
type InstanceError struct{ Instance, Where string }

func (e *InstanceError) Error() string {
	return fmt.Sprintf("another instance with instance.id %q is running%s", e.Instance, e.Where)
}

// Try is the next step for the user.
func (e *InstanceError) Try() string { return "give each instance its own instance.id, or none" }

func is(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// over reports whether the error says that the session has ended meanwhile.
func over(err error) bool {
	return is(err, errLost, sarama.ErrUnknownMemberId, sarama.ErrIllegalGeneration, sarama.ErrFencedInstancedId,
		kerr.UnknownMemberID, kerr.IllegalGeneration, kerr.FencedInstanceID)
}

// fenced reports whether a newer producer with the same transactional id has
// begun, or the broker has given up a transaction that stood still.
func fenced(err error) bool {
	return is(err, sarama.ErrProducerFenced, sarama.ErrInvalidProducerEpoch)
}

// mustDiscard reports whether what the session has read since its last checkpoint
// is not its own to write any more: that of the table counts.
func mustDiscard(err error) bool { return over(err) || fenced(err) || is(err, errOutcome) }

// hopeless reports whether trying again cannot help.
func hopeless(err error) bool {
	var f fatal
	var bad *BadRecordError
	var other *InstanceError
	return errors.As(err, &f) || errors.As(err, &bad) || errors.As(err, &other) || is(err,
		sarama.ErrTopicAuthorizationFailed, sarama.ErrGroupAuthorizationFailed, sarama.ErrClusterAuthorizationFailed,
		sarama.ErrTransactionalIDAuthorizationFailed, sarama.ErrSASLAuthenticationFailed,
		sarama.ErrMessageSizeTooLarge, sarama.ErrInvalidRecord, sarama.ErrPolicyViolation, sarama.ErrUnsupportedVersion,
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.SaslAuthenticationFailed, kerr.InvalidSessionTimeout, kerr.InvalidGroupID,
		kerr.InconsistentGroupProtocol, kerr.UnsupportedVersion)
}

// again reports whether a session that could not be set up, or has ended, is
// no failure: the member joins again.
func again(err error) bool {
	return over(err) || is(err, errOutcome, context.Canceled, sarama.ErrUnstableOffsetCommit, sarama.ErrRebalanceInProgress,
		kerr.UnstableOffsetCommit, kerr.RebalanceInProgress)
}
