package e2e

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Ticks that confluent-kafka's serializers wrote through a registry are read,
// live and in replay: Avro whose schema grows, JSON and Protobuf with a schema,
// and ids that stand in headers.
func TestTicksOfConfluentSerializers(t *testing.T) {
	registry := srfake.New(srfake.WithGlobalCompat(sr.CompatNone))
	t.Cleanup(registry.Close)
	a := newAudited(t, 1, "field.timestamp=ts", "value.converter=avro", "value.converter.schema.registry.url="+registry.URL())
	const first = int64(1735831800_000000000)
	cmd := exec.Command(python(t), "serialize.py", a.Brokers[0], registry.URL(), a.topic, strconv.FormatInt(first, 10))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("serialize.py: %v\n%s", err, &complaint)
	}
	forms := int64(strings.Count(string(out), "\n"))
	if forms < 8 {
		t.Fatalf("%d records were written: %s", forms, out)
	}
	for mode, reports := range map[string][]*engine.Report{"live": a.toEnd(t), "replay": replay(t, a)} {
		n := final(t, reports).Counts
		if n.Records != forms || n.Ticks != forms || n.Disorder != 0 {
			t.Errorf("%s: of %d records: %+v\n%s", mode, forms, n, out)
		}
	}
}

// replay are the reports that a replay of the topic writes.
func replay(t *testing.T, a *audited) (reports []*engine.Report) {
	t.Helper()
	cmd := command(t, "replay", "-c", a.file, "--quiet", "--fail-on", "never")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("replay: %v\n%s", err, &said)
	}
	for line := range bytes.Lines(out) {
		r, err := codecs.DecodeReport(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		reports = append(reports, r)
	}
	return reports
}
