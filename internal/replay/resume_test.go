package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// killed replays with a resume file and dies at a report: what the file says
// of the output then holds, whatever was written behind it.
type killed struct {
	path   string
	of     map[string]string
	output []byte
	runs   int
}

var errKilled = errors.New("killed")

// run goes on from the file and dies after a number of reports, 0: never. It
// says whether the replay came to its end.
func (k *killed) run(t *testing.T, c *kafkatest.Cluster, o Options, after int) bool {
	t.Helper()
	k.runs++
	state, err := LoadState(k.path, k.of)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	if state != nil {
		o.State = state
		if err := json.Unmarshal(state.Output, &written); err != nil {
			t.Fatal(err)
		}
	}
	k.output = k.output[:written]
	o.Resume = &Resume{Path: k.path, Of: k.of, Output: func() (json.RawMessage, error) { return json.Marshal(len(k.output)) }}
	o.Note = t.Logf
	reports := 0
	o.Report = func(r *engine.Report) error {
		if reports++; reports == after {
			return errKilled
		}
		line, err := codecs.EncodeReport(r)
		k.output = append(append(k.output, line...), '\n')
		return err
	}
	err = RunHistory(context.Background(), Cluster{Admin: c.Admin(t), Options: readerOptions(c)}, o)
	if err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return err == nil
}

// told are the FINAL reports and how often each finding was opened.
func told(t *testing.T, lines []byte) string {
	t.Helper()
	opened := map[string]int{}
	var finals strings.Builder
	for line := range bytes.Lines(lines) {
		r, err := codecs.DecodeReport(line)
		if err != nil {
			t.Fatal(err)
		}
		if r.Trigger == engine.TriggerFinal {
			finals.Write(line)
		}
		for i := range r.Findings {
			if r.Findings[i].State == engine.Opened {
				opened[r.Findings[i].ID]++
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(opened)) {
		fmt.Fprintf(&finals, "%s %d\n", id, opened[id])
	}
	return finals.String()
}

// However often it is killed, the FINAL reports are those of one go, and each
// finding is opened once.
func TestResumeAfterKills(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		first, second := c.Topic(t, 4, "retention.ms=-1"), c.Topic(t, 3, "retention.ms=-1")
		c.Produce(t, market(first, 4, 4000, 11)...)
		c.Produce(t, market(second, 2, 1500, 12)...)
		o := optionsFor(first, second)
		want := mustPlay(t, c, o)
		k := &killed{path: filepath.Join(t.TempDir(), "state"), of: map[string]string{"topics": "two"}}
		for after := 7; !k.run(t, c, o, after); after += 13 {
			c.Produce(t, market(first, 4, 20, 13)...) // behind the ends that are fixed
		}
		if got, want := told(t, k.output), told(t, want.bytes); k.runs < 5 || got != want {
			t.Errorf("%d runs: %s", k.runs, firstDifference([]byte(got), []byte(want)))
		}
		state, err := LoadState(k.path, k.of)
		if err != nil || !state.Ended {
			t.Errorf("the file of a replay that came to its end: %+v, %v", state, err)
		}
	})
}

func TestDamagedResumeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	of := map[string]string{"--from": "5"}
	s := &State{Version: stateVersion, Of: of, Output: json.RawMessage("3")}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := LoadState(path, of); err != nil || string(got.Output) != "3" {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := LoadState(path, map[string]string{"--from": "6"}); !errors.As(err, new(Invalid)) || !strings.Contains(err.Error(), `--from was "5" there and is "6" here`) {
		t.Errorf("another replay: %v", err)
	}
	for i := range whole {
		for name, content := range map[string][]byte{"cut": whole[:i], "changed": append(append(bytes.Clone(whole[:i]), whole[i]^1), whole[i+1:]...)} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			var damaged *Damaged
			if _, err := LoadState(path, of); !errors.As(err, &damaged) || damaged.Path != path {
				if name == "cut" && i == len(whole)-1 || name == "changed" && i == len(whole)-1 {
					continue // the last line's end says nothing
				}
				t.Fatalf("%s at %d: %v", name, i, err)
			}
		}
	}
	if got, err := LoadState(filepath.Join(t.TempDir(), "none"), of); got != nil || err != nil {
		t.Errorf("no file: %+v, %v", got, err)
	}
}
