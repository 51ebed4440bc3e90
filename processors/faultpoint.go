//go:build faultpoints

package processors

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/IBM/sarama"
)

// faultpointEnv names where this process kills itself, as kill -9 does:
// GROUP|STEP|STEP…, GROUP being symbols or distribution, STEP the name of a
// point, with *n its nth time; the steps are taken one after another, and the
// last one kills.
const faultpointEnv = "FAULTPOINT"

var armed = sync.OnceValue(func() *faultSchedule {
	group, steps, _ := strings.Cut(os.Getenv(faultpointEnv), "|")
	s := &faultSchedule{group: group}
	for step := range strings.SplitSeq(steps, "|") {
		name, times, _ := strings.Cut(step, "*")
		n, err := strconv.Atoi(times)
		if err != nil {
			n = 1
		}
		s.steps = append(s.steps, faultStep{name, n})
	}
	return s
})

type faultStep struct {
	name string
	left int
}

type faultSchedule struct {
	group string
	mu    sync.Mutex
	steps []faultStep
}

// faultpoint is passed at a step of a checkpoint or a recovery.
func faultpoint(group, point string) {
	kind := "symbols"
	if strings.HasSuffix(group, "-distribution") {
		kind = "distribution"
	}
	s := armed()
	if kind != s.group {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 || s.steps[0].name != point {
		return
	}
	if s.steps[0].left--; s.steps[0].left > 0 {
		return
	}
	if s.steps = s.steps[1:]; len(s.steps) > 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// parts cuts a write in two, so that there is a middle to be killed in.
func parts(messages []*sarama.ProducerMessage) [][]*sarama.ProducerMessage {
	half := len(messages) / 2
	return [][]*sarama.ProducerMessage{messages[:half], messages[half:]}
}

// together are the messages of one transaction in steps, so that a process can
// die between them.
func together(ahead, rows []*sarama.ProducerMessage) [][]*sarama.ProducerMessage {
	return append([][]*sarama.ProducerMessage{ahead}, parts(rows)...)
}
