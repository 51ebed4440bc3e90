package faults

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// envLibs names the folder of a Kafka's jars.
const envLibs = "AUDITSTREAM_TEST_KAFKA_LIBS"

// kafka is a cluster of this test run's own.
type kafka struct {
	kafkatest.Cluster
	brokers []*broker
}

// broker is one node of a cluster: broker and controller in one process.
type broker struct {
	id           int
	dir          string
	port, quorum int

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
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
	libs := os.Getenv(envLibs)
	if libs == "" {
		kafkatest.SkipOrFail(t, "NOT RUN on a Kafka of its own: set %s to the folder of a Kafka's jars", envLibs)
	}
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
		b := &broker{id: id, dir: filepath.Join(scratch, fmt.Sprintf("kafka-%d-%d", size, id)), port: freePort(), quorum: freePort()}
		k.brokers = append(k.brokers, b)
		k.Brokers = append(k.Brokers, b.address())
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", id, b.quorum))
	}
	for _, b := range k.brokers {
		if err := b.configure(size, strings.Join(voters, ",")); err != nil {
			return nil, err
		}
	}
	if err := k.format(libs); err != nil {
		return nil, err
	}
	for _, b := range k.brokers {
		if err := b.start(); err != nil {
			return nil, err
		}
	}
	for _, b := range k.brokers {
		if err := b.await(); err != nil {
			return nil, err
		}
	}
	return k, k.awaitBrokers(size)
}

// freePort is a port on which nobody listens, below those that the kernel
// gives to clients.
func freePort() int {
	for {
		n, err := rand.Int(rand.Reader, big.NewInt(11_000))
		if err != nil {
			panic("BUG: no random numbers: " + err.Error())
		}
		port := 21_000 + int(n.Int64())
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			l.Close()
			return port
		}
	}
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
`, b.id, voters, b.port, b.quorum, filepath.Join(b.dir, "data"), replicas, minISR)
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(b.settings(), []byte(settings), 0o600)
}

func (b *broker) settings() string { return filepath.Join(b.dir, "server.properties") }

// format formats the storage of the first node and copies it to the others
// under their own ids: the tool alone takes two seconds.
func (k *kafka) format(libs string) error {
	classes = filepath.Join(libs, "*")
	first := k.brokers[0]
	out, err := exec.Command("java", "-XX:TieredStopAtLevel=1", "-cp", classes, "kafka.tools.StorageTool", "format",
		"-t", uuid(), "-c", first.settings()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("format storage: %w\n%s", err, out)
	}
	for _, b := range k.brokers[1:] {
		to := filepath.Join(b.dir, "data")
		if err := os.CopyFS(to, os.DirFS(filepath.Join(first.dir, "data"))); err != nil {
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
				line = "directory.id=" + uuid() + "\n"
			}
			lines = append(lines, line)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var classes string

func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[0] &= 0x3f // Kafka's reading of ids refuses a leading dash
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// start starts the node's process; it dies with this one.
func (b *broker) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	log, err := os.Create(b.log())
	if err != nil {
		return err
	}
	defer log.Close()
	b.cmd = exec.Command("java", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "kafka.Kafka", b.settings())
	b.cmd.Stdout, b.cmd.Stderr = log, log
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := b.cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	b.done = done
	go func(cmd *exec.Cmd) {
		defer close(done)
		_ = cmd.Wait()
	}(b.cmd)
	return nil
}

func (b *broker) log() string { return filepath.Join(b.dir, "kafka.log") }

// await waits until the node serves: asked itself, it lists itself among the
// brokers, which it does not while it is fenced.
func (b *broker) await() error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.address()), kgo.MetadataMinAge(10*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for {
		if b.serves(cl) {
			return nil
		}
		select {
		case <-b.done:
			return fmt.Errorf("broker %d ended while starting:\n%s", b.id, b.tail())
		case <-late:
			return fmt.Errorf("broker %d does not start:\n%s", b.id, b.tail())
		case <-tick.C:
		}
	}
}

func (b *broker) serves(cl *kgo.Client) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	brokers, err := kadm.NewClient(cl).ListBrokers(ctx)
	return err == nil && slices.Contains(brokers.NodeIDs(), int32(b.id))
}

func (b *broker) address() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }

// tail is the end of the node's log; it says something only where the jars
// have a logger.
func (b *broker) tail() string {
	log, err := os.ReadFile(b.log())
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-3000):])
}

// kill is kill -9, end is a controlled shutdown; both wait until it is over.
func (b *broker) kill() { b.signal(syscall.SIGKILL) }
func (b *broker) end()  { b.signal(syscall.SIGTERM) }

func (b *broker) signal(s os.Signal) {
	b.mu.Lock()
	cmd, done := b.cmd, b.done
	b.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(s)
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		<-done
	}
}

func (b *broker) restart(t *testing.T) {
	t.Helper()
	if err := b.start(); err != nil {
		t.Fatal(err)
	}
	if err := b.await(); err != nil {
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
		select {
		case <-b.done:
			b.restart(t)
		default:
		}
	}
	k.healthy(t)
}
