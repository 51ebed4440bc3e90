package kafkatest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

const (
	// EnvBrokers names the real Kafka.
	EnvBrokers = "AUDITSTREAM_TEST_KAFKA"
	// EnvRequired turns what would be skipped into failures when it is 1.
	EnvRequired = "AUDITSTREAM_TEST_KAFKA_REQUIRED"
)

// Cluster is the broker that one test talks to.
type Cluster struct {
	Brokers []string
	Real    bool           // a Kafka of its own process, not kfake
	Kfake   *kfake.Cluster // for control hooks; nil when Real
}

// Run runs the same test as subtest "kfake" on a new in-process cluster of one
// broker, and as subtest "kafka" on the real one, if its address is given.
// The options reach kfake only.
func Run(t *testing.T, test func(t *testing.T, c *Cluster), opts ...kfake.Opt) {
	t.Helper()
	t.Run("kfake", func(t *testing.T) { test(t, Fake(t, opts...)) })
	t.Run("kafka", func(t *testing.T) { test(t, Real(t)) })
}

// Fake starts an in-process cluster of one broker that ends with the test.
// Group sessions may be as short as 100 ms; topics are not created by asking.
func Fake(t testing.TB, opts ...kfake.Opt) *Cluster {
	t.Helper()
	all := append([]kfake.Opt{
		kfake.NumBrokers(1),
		kfake.GroupMinSessionTimeout(100 * time.Millisecond),
	}, opts...)
	fake, err := kfake.NewCluster(all...)
	if err != nil {
		t.Fatalf("start kfake: %v", err)
	}
	t.Cleanup(fake.Close)
	return &Cluster{Brokers: fake.ListenAddrs(), Kfake: fake}
}

// Real gives the real Kafka; without its address the test is skipped, or fails
// when one is required.
func Real(t testing.TB) *Cluster {
	t.Helper()
	return &Cluster{Brokers: Brokers(t), Real: true}
}

// Brokers gives the real Kafka's addresses, or ends the test like [Real].
func Brokers(t testing.TB) []string {
	t.Helper()
	addrs := strings.FieldsFunc(os.Getenv(EnvBrokers), func(r rune) bool { return r == ',' || r == ' ' })
	if len(addrs) == 0 {
		SkipOrFail(t, "NOT RUN on a real Kafka: set %s=host:port to run it", EnvBrokers)
	}
	return addrs
}

// SkipOrFail ends a test that lacks something outside the module: skipped
// with the reason, or failed when EnvRequired is 1.
func SkipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(format, args...)
	if os.Getenv(EnvRequired) == "1" {
		t.Fatalf("%s (%s=1)", reason, EnvRequired)
	}
	t.Skip(reason)
}

var names atomic.Int64

// Name makes a name for a topic, group or transactional id that no other test,
// and no earlier run on the same broker, has used.
func Name(t testing.TB) string {
	t.Helper()
	keep := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}
	base := strings.Map(keep, t.Name())
	if len(base) > 80 {
		base = base[:80]
	}
	run := strconv.FormatInt(time.Now().UnixMilli(), 36) + strconv.FormatInt(int64(os.Getpid()), 36)
	return fmt.Sprintf("%s-%s-%d", base, run, names.Add(1))
}
