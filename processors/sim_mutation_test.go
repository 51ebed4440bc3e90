//go:build !race

package processors

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutation takes one step out of the program. In what takes the place of its
// code, which stands there once, MUTATED asks whether it is the one that runs.
// It is found within mutationSeeds seeds from the first on.
type mutation struct {
	name, file string
	first      int
	code, with string
}

const mutationSeeds = 60

// mutations are the steps by which nothing is lost and nothing comes twice.
// Steps that stand behind another are not among them: that the newer row of two
// wins makes good what a member writes that is lost, or stood still.
var mutations = []mutation{
	{"acks are not awaited", "processors/sink.go", 1,
		"acked < len(messages); {", "acked < len(messages) && (sent < len(messages) || !MUTATED); {"},
	{"a write that failed counts", "processors/sink.go", 1,
		"if failed == nil {\n\t\t\t\tfailed = fmt", "if failed == nil && !MUTATED {\n\t\t\t\tfailed = fmt"},
	{"rows before reports", "processors/sink.go", 1,
		"faultpoint(group, \"before reports\")", "for _, step := range steps {\nif MUTATED {\nif err := p.send(ctx, step); err != nil {\nreturn err\n}\n}\n}"},
	{"offsets before rows", "processors/sink.go", 1,
		"s.commit(ctx, rewinds(batches))", "s.commit(ctx, map[bool][]*batch{true: batches, false: rewinds(batches)}[MUTATED])"},
	{"rows in one step", "processors/unit.go", 1,
		"b.steps = append(b.steps, len(b.rows))", "if !MUTATED {\nb.steps = append(b.steps, len(b.rows))\n}"},
	{"what failed is not given back", "processors/checkpoint.go", 1,
		"if b.inner != nil {", "if b.inner != nil && !MUTATED {"},
	{"a symbol's offset is not asked", "engine/partition.go", 1,
		"if t.Offset <= s.through", "if !MUTATED && t.Offset <= s.through"},
	{"the partition's offset is not asked", "engine/partition.go", 1,
		"t.Offset > p.row.Through,", "t.Offset > p.row.Through || MUTATED,"},
	{"a stale row of a symbol wins", "engine/snapshot.go", 220,
		"if speaksLess(r.Cuts, r.Through, int64(s.cuts), s.through) {", "if !MUTATED && speaksLess(r.Cuts, r.Through, int64(s.cuts), s.through) {"},
	{"a stale row of a partition wins", "engine/snapshot.go", 510,
		"if speaksLess(r.Cuts, r.Through, p.row.Cuts, p.row.Through) {", "if !MUTATED && speaksLess(r.Cuts, r.Through, p.row.Cuts, p.row.Through) {"},
	{"a row of a former topic counts", "processors/former.go", 720,
		"if log == 0 || present", "if MUTATED || log == 0 || present"},
	{"no generation in the transaction", "processors/sink_txn.go", 1,
		"if err := ap.AddOffsetsToTxnWithGroupMetadata(", "if MUTATED {\nmetadata = &sarama.ConsumerGroupMetadata{GroupID: s.g.name, GenerationID: -1}\n}\nif err := ap.AddOffsetsToTxnWithGroupMetadata("},
	{"what may be committed is written again", "processors/checkpoint.go", 61,
		"if mustDiscard(err) {", "if !MUTATED && mustDiscard(err) {"},
	{"a failed transaction goes on", "processors/sink_txn.go", 1,
		"\tif err != nil {\n\t\tk.abort(err)", "\tif err != nil && !MUTATED {\n\t\tk.abort(err)"},
}

const mutationVariable = "AUDITSTREAM_TEST_MUTATION"

// mutate writes the files of all mutations, each asleep until the variable
// wakes it, and gives go's overlay for them.
func mutate(t *testing.T, root string) (overlay string) {
	t.Helper()
	dir := t.TempDir()
	replaced, text := map[string]string{}, map[string]string{}
	write := func(file, content string) {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(root, file)] = path
	}
	for _, m := range mutations {
		if text[m.file] == "" {
			b, err := os.ReadFile(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			text[m.file] = string(b)
		}
		if n := strings.Count(text[m.file], m.code); n != 1 {
			t.Errorf("%s: %d times in %s: %s", m.name, n, m.file, m.code)
		}
		with := strings.ReplaceAll(m.with, "MUTATED", fmt.Sprintf("mutated(%q)", m.name))
		text[m.file] = strings.Replace(text[m.file], m.code, with, 1)
	}
	for file, content := range text {
		write(file, content)
		pkg := filepath.Dir(file)
		write(pkg+"/mutated.go", fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar wrongStep = os.Getenv(%q)\n\nfunc mutated(name string) bool { return wrongStep == name }\n", pkg, mutationVariable))
	}
	b, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// Whatever step is taken out of the real code, the simulation finds it: one
// that it does not find it would not find by mistake either.
func TestSimulationFindsMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("a second build of the tests")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := mutate(t, root)
	if t.Failed() {
		return
	}
	binary := filepath.Join(t.TempDir(), "mutated.test")
	if out, err := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(name string, first, seeds int) (string, error) {
		cmd := exec.Command(binary, "-test.run", "^TestSimulation$", "-sim.until.failure", "-sim.first", fmt.Sprint(first), "-sim.seeds", fmt.Sprint(seeds))
		cmd.Env = append(os.Environ(), mutationVariable+"="+name)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("", 1, 20); err != nil {
		t.Fatalf("without a mutation: %v\n%s", err, out)
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out, err := run(m.name, m.first, mutationSeeds)
			if err == nil {
				t.Fatalf("%d seeds from %d on did not find it", mutationSeeds, m.first)
			}
			_, said, found := strings.Cut(out, "seed ")
			if !found {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("found by seed %s", strings.SplitN(said, ":", 2)[0])
		})
	}
}
