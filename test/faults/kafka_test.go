package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// kafka is a cluster of this test run's own.
type kafka struct {
	kafkatest.Cluster
	brokers []*broker
}

// broker is one node of a cluster: broker and controller in one process.
type broker struct {
	*kafkatest.Process
	id           int
	port, quorum int
}

// lazy starts a cluster when the first test asks for it; all tests of this run
// share it.
type lazy struct {
	size  int
	once  sync.Once
	kafka *kafka
	err   error
}

var (
	one   = &lazy{size: 1}
	three = &lazy{size: 3}
)

func (l *lazy) get(t *testing.T) *kafka {
	t.Helper()
	libs := kafkatest.Libs(t)
	l.once.Do(func() { l.kafka, l.err = startKafka(libs, l.size) })
	if l.err != nil {
		t.Fatal(l.err)
	}
	return l.kafka
}

func (l *lazy) end() {
	if l.kafka == nil {
		return
	}
	for _, b := range l.kafka.brokers {
		b.kill()
	}
}

func startKafka(libs string, size int) (*kafka, error) {
	k := &kafka{Cluster: kafkatest.Cluster{Real: true}}
	var voters []string
	for id := 1; id <= size; id++ {
		b := &broker{id: id, port: kafkatest.FreePort(), quorum: kafkatest.FreePort()}
		b.Process = &kafkatest.Process{ID: id, Libs: libs, Dir: filepath.Join(scratch, fmt.Sprintf("kafka-%d-%d", size, id)), Address: b.address()}
		k.brokers = append(k.brokers, b)
		k.Brokers = append(k.Brokers, b.address())
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", id, b.quorum))
	}
	for _, b := range k.brokers {
		if err := b.configure(size, strings.Join(voters, ",")); err != nil {
			return nil, err
		}
	}
	if err := k.format(); err != nil {
		return nil, err
	}
	for _, b := range k.brokers {
		if err := b.Start(); err != nil {
			return nil, err
		}
	}
	for _, b := range k.brokers {
		if err := b.Await(); err != nil {
			return nil, err
		}
	}
	return k, k.awaitBrokers(size)
}

// configure writes the node's settings. Times are short, so that what takes a
// cluster minutes takes seconds here.
func (b *broker) configure(size int, voters string) error {
	replicas, minISR := 1, 1
	if size >= 3 {
		replicas, minISR = 3, 2
	}
	settings := fmt.Sprintf(`process.roles=broker,controller
node.id=%d
controller.quorum.voters=%s
listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
advertised.listeners=PLAINTEXT://127.0.0.1:%[3]d
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=%[5]s
auto.create.topics.enable=false
default.replication.factor=%[6]d
min.insync.replicas=%[7]d
offsets.topic.replication.factor=%[6]d
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=%[6]d
transaction.state.log.min.isr=%[7]d
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=%[6]d
share.coordinator.state.topic.min.isr=%[7]d
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
transaction.abort.timed.out.transaction.cleanup.interval.ms=500
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
replica.lag.time.max.ms=3000
log.retention.check.interval.ms=500
log.retention.ms=-1
log.initial.task.delay.ms=500
leader.imbalance.check.interval.seconds=5
log.segment.delete.delay.ms=0
`, b.id, voters, b.port, b.quorum, b.Data(), replicas, minISR)
	return b.Configure(settings)
}

// format formats the storage of the first node and copies it to the others
// under their own ids: the tool alone takes two seconds.
func (k *kafka) format() error {
	first := k.brokers[0]
	if err := first.Format(); err != nil {
		return err
	}
	for _, b := range k.brokers[1:] {
		to := b.Data()
		if err := os.CopyFS(to, os.DirFS(first.Data())); err != nil {
			return err
		}
		path := filepath.Join(to, "meta.properties")
		was, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var lines []string
		for line := range strings.Lines(string(was)) {
			switch name, _, _ := strings.Cut(line, "="); name {
			case "node.id":
				line = fmt.Sprintf("node.id=%d\n", b.id)
			case "directory.id":
				line = "directory.id=" + kafkatest.UUID() + "\n"
			}
			lines = append(lines, line)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (b *broker) address() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }

// kill is kill -9, end is a controlled shutdown; both wait until it is over.
func (b *broker) kill() { b.Signal(syscall.SIGKILL) }
func (b *broker) end()  { b.Signal(syscall.SIGTERM) }

func (b *broker) restart(t *testing.T) {
	t.Helper()
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	if err := b.Await(); err != nil {
		t.Fatal(err)
	}
}

// awaitBrokers waits until so many brokers are in the cluster.
func (k *kafka) awaitBrokers(n int) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Brokers...))
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		brokers, err := kadm.NewClient(cl).ListBrokers(ctx)
		if err == nil && len(brokers) == n {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%d of %d brokers", len(brokers), n), err)
		case <-tick.C:
		}
	}
}

// healthy waits until every broker is there and every replica in sync.
func (k *kafka) healthy(t *testing.T) {
	t.Helper()
	adm := k.Admin(t)
	kafkatest.Eventually(t, "all replicas to be in sync", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		all, err := adm.Metadata(ctx)
		if err != nil || len(all.Brokers) != len(k.brokers) {
			return false
		}
		for _, topic := range all.Topics {
			for _, p := range topic.Partitions {
				if p.Err != nil || len(p.ISR) != len(p.Replicas) {
					return false
				}
			}
		}
		return true
	})
}

// revive starts the brokers that a test before has left dead.
func (k *kafka) revive(t *testing.T) {
	t.Helper()
	for _, b := range k.brokers {
		if !b.Running() {
			b.restart(t)
		}
	}
	k.healthy(t)
}
