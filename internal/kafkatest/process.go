package kafkatest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// EnvLibs names the folder of a Kafka's jars.
const EnvLibs = "AUDITSTREAM_TEST_KAFKA_LIBS"

// Libs gives the folder of jars that a test starts brokers of its own from;
// without it the test ends like [Real].
func Libs(t testing.TB) string {
	t.Helper()
	libs := os.Getenv(EnvLibs)
	if libs == "" {
		SkipOrFail(t, "NOT RUN on a Kafka of its own: set %s to the folder of a Kafka's jars", EnvLibs)
	}
	return libs
}

// Process is a broker and controller in one process of the test's own. Its
// settings, log and data are below Dir.
type Process struct {
	ID      int
	Dir     string
	Libs    string
	Address string    // of the listener that is asked whether it serves
	Flags   []string  // of the JVM, beyond those that keep it small
	Options []kgo.Opt // with which it is asked

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
}

// FreePort is a port on which nobody listens, below those that the kernel
// gives to clients.
func FreePort() int {
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

// UUID is an id as Kafka writes them.
func UUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[0] &= 0x3f // Kafka's reading of ids refuses a leading dash
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Data is the folder that the settings have to name as log.dirs.
func (p *Process) Data() string { return filepath.Join(p.Dir, "data") }

// Configure writes the node's settings.
func (p *Process) Configure(settings string) error {
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.settings(), []byte(settings), 0o600)
}

func (p *Process) settings() string { return filepath.Join(p.Dir, "server.properties") }
func (p *Process) log() string      { return filepath.Join(p.Dir, "kafka.log") }

// Format formats the storage for a new cluster.
func (p *Process) Format() error {
	out, err := Java(p.Libs, "kafka.tools.StorageTool", "format", "-t", UUID(), "-c", p.settings()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("format storage: %w\n%s", err, out)
	}
	return nil
}

// Java is one of Kafka's tools as a command.
func Java(libs, class string, args ...string) *exec.Cmd {
	return exec.Command("java", append([]string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", filepath.Join(libs, "*"), class}, args...)...)
}

// Start starts the node's process; it dies with this one.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer log.Close()
	args := append([]string{"-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}, p.Flags...)
	// The classes of a broker that ran before, as -XX:ArchiveClassesAtExit leaves them.
	if archive := os.Getenv("AUDITSTREAM_TEST_KAFKA_ARCHIVE"); archive != "" {
		args = append(args, "-XX:SharedArchiveFile="+archive)
	}
	p.cmd = exec.Command("java", append(args, "-cp", filepath.Join(p.Libs, "*"), "kafka.Kafka", p.settings())...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	p.done = done
	go func(cmd *exec.Cmd) {
		defer close(done)
		_ = cmd.Wait()
	}(p.cmd)
	return nil
}

// Await waits until the node serves: asked itself, it lists itself among the
// brokers, which it does not while it is fenced.
func (p *Process) Await() error {
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(p.Address), kgo.MetadataMinAge(10 * time.Millisecond)}, p.Options...)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for {
		if p.serves(cl) {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("broker %d ended while starting:\n%s", p.ID, p.Tail())
		case <-late:
			return fmt.Errorf("broker %d does not start:\n%s", p.ID, p.Tail())
		case <-tick.C:
		}
	}
}

func (p *Process) serves(cl *kgo.Client) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	brokers, err := kadm.NewClient(cl).ListBrokers(ctx)
	return err == nil && slices.Contains(brokers.NodeIDs(), int32(p.ID))
}

// Tail is the end of the node's log; it says something only where the jars
// have a logger.
func (p *Process) Tail() string {
	log, err := os.ReadFile(p.log())
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-3000):])
}

// Running reports whether the node was started and has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return p.done != nil
	}
}

// Signal sends a signal and waits until the process is over.
func (p *Process) Signal(s os.Signal) {
	p.mu.Lock()
	cmd, done := p.cmd, p.done
	p.mu.Unlock()
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
