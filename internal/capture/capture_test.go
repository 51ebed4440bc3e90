package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// read gives the records of a capture, one line of text each.
func read(t *testing.T, content string, viaStdin bool) (string, *Input, *Reader) {
	t.Helper()
	path := "-"
	if !viaStdin {
		path = filepath.Join(t.TempDir(), "capture")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Open(path, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	decoder, err := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := in.Records(decoder, Placing{Hash: engine.HashMurmur2, Partitions: 12, Symbols: decoder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	var out strings.Builder
	for {
		var rec Record
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			return out.String(), in, r
		}
		if err != nil {
			t.Fatal(err)
		}
		tick := rec.Tick
		fmt.Fprintf(&out, "%s/%d@%d key=%s", rec.Topic, rec.Partition, tick.Offset, text(tick.Key))
		if tick.RecordTime != engine.NoTime {
			fmt.Fprintf(&out, " at=%d", tick.RecordTime)
		}
		if tick.Kind == engine.Good {
			fmt.Fprintf(&out, " %q %d", tick.Symbol, tick.EventTime)
		} else {
			fmt.Fprintf(&out, " kind=%d %v value=%s", tick.Kind, tick.Reason, text(tick.Value))
		}
		if tick.Origin != nil {
			fmt.Fprintf(&out, " origin=%v", *tick.Origin)
		}
		out.WriteByte('\n')
	}
}

func text(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", b)
}

const kcatLines = `{"topic":"t","partition":2,"offset":41,"tstype":"create","ts":1735831800020,"broker":1,"key":"QXA","payload":"{\"symbol\":\"QXA\",\"ts\":1735831800000000000}"}
{"topic":"t","partition":0,"offset":7,"tstype":"create","ts":1735831800021,"broker":1,"headers":["trace",null,"trace","a","trace","b","","x"],"key":"","payload":"{\"symbol\":\"` + "\xff\xc3\xa9" + `\\u00e9\",\"ts\":1735831800000000000}"}
{"topic":"t","partition":0,"offset":8,"tstype":"unknown","ts":0,"key":null,"payload":null}
{"topic":"t","partition":0,"offset":9,"tstype":"logappend","ts":1735831800022,"headers":["x-original-topic","t","x-original-partition","0","x-original-offset","3"],"key":"` + "\x80" + `","payload":""}
{"topic":"t","partition":0,"offset":12,"tstype":"create","ts":-1,"key":"k","payload":{"symbol":"Q","ts":1735831800}}
`

const kcatWant = `t/2@41 key="QXA" at=1735831800020000000 "QXA" 1735831800000000000
t/0@7 key="" at=1735831800021000000 "\xfféé" 1735831800000000000
t/0@8 key=null kind=1  value=null
t/0@9 key="\x80" at=1735831800022000000 kind=2 empty_value value="" origin={t 0 3}
t/0@12 key="k" "Q" 1735831800000000000
`

func TestKcatLines(t *testing.T) {
	for _, stdin := range []bool{false, true} {
		got, in, _ := read(t, kcatLines, stdin)
		if got != kcatWant {
			t.Errorf("got\n%swant\n%s", got, kcatWant)
		}
		if s := in.Summary; in.Bare || len(s.Topics) != 1 || s.Partitions["t"] != 3 || s.TimestampType != "mixed" {
			t.Errorf("bare %v, summary %+v", in.Bare, s)
		}
	}
}

func TestPackedFiles(t *testing.T) {
	var zipped, zst bytes.Buffer
	s, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gzip.NewWriter(&zipped), s} {
		if _, err := io.WriteString(w, kcatLines); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"gzip": zipped.String(), "two gzip members": zipped.String() + zipped.String(), "zstd": zst.String()} {
		for _, stdin := range []bool{false, true} {
			got, _, _ := read(t, content, stdin)
			if want := strings.Repeat(kcatWant, 1+strings.Count(name, "two")); got != want {
				t.Errorf("%s, stdin %v: got\n%s", name, stdin, got)
			}
		}
	}
	got, _, r := read(t, zipped.String()[:zipped.Len()-20], false)
	if !r.CutShort() || !strings.HasPrefix(got, "t/2@41") {
		t.Errorf("a gzip file that is cut: short %v, got\n%s", r.CutShort(), got)
	}
}

func TestCutKcatLines(t *testing.T) {
	whole := strings.SplitAfter(kcatLines, "\n")[0]
	for cut, want := range map[string]string{
		`{"topic":"t","partition":5,"offset":43,"tstype":"create","ts":1735831800020,"key":"Q","payload":"{\"symb`: `t/5@43 key="Q" at=1735831800020000000 kind=2 truncated`,
		`{"topic":"t","partition":5,"offset":43,"ts`:                                                               `t/5@43 key="?" kind=2 truncated`,
		`{"topic":"t","partition":5,"offset":4`:                                                                    `t/2@42 key="?" kind=2 truncated`,
		`{"to`:                                                                                                     `t/2@42 key="?" kind=2 truncated`,
	} {
		got, _, r := read(t, whole+cut, false)
		if lost, _ := r.Lost(); lost != 0 || !strings.HasSuffix(strings.SplitAfter(got, "\n")[1], fmt.Sprintf("value=%q\n", cut)) ||
			!strings.Contains(got, want) {
			t.Errorf("%s: %d lost, got\n%s", cut, lost, got)
		}
	}
	// No topic has so many partitions: the line is damaged, and makes no topic
	// of them.
	for _, partition := range []string{"100000", "2147483647", "99999999999999999999", "-1"} {
		wide := strings.Replace(whole, `"partition":2`, `"partition":`+partition, 1)
		got, in, r := read(t, whole+wide+whole, false)
		if lost, first := r.Lost(); lost != 1 || first != 2 || strings.Count(got, "\n") != 2 || in.Summary.Partitions["t"] != 3 || in.Summary.Widest["t"] != 1 {
			t.Errorf("partition %s: %d lost, the first on line %d, %+v, got\n%s", partition, lost, first, in.Summary, got)
		}
	}
	// In the middle of a file a line without a place could take that of a record.
	got, _, r := read(t, "tail of a line\"}\n"+whole+"garbage\n"+whole, false)
	if lost, first := r.Lost(); lost != 2 || first != 1 || strings.Count(got, "\n") != 2 {
		t.Errorf("%d lost, the first on line %d, got\n%s", lost, first, got)
	}
}

func TestBareTicks(t *testing.T) {
	const ticks = `{"symbol":"QXA","ts":1735831800000000000}` + "\r\n\n" +
		`{"symbol":"QXB","ts":1735831800000000000}` + "\n" +
		`{"symbol":"QXA","ts":null}` + "\n" +
		`{"symbol":"QXA","ts":17358`
	// 12 partitions, murmur2: QXA 8, QXB 10.
	const want = `/8@0 key="QXA" "QXA" 1735831800000000000
/10@0 key="QXB" "QXB" 1735831800000000000
/8@1 key="QXA" kind=3 time_null value="{\"symbol\":\"QXA\",\"ts\":null}"
/0@0 key="?" kind=2 truncated value="{\"symbol\":\"QXA\",\"ts\":17358"
`
	for _, stdin := range []bool{false, true} {
		if got, in, _ := read(t, ticks, stdin); got != want || !in.Bare {
			t.Errorf("bare %v, got\n%swant\n%s", in.Bare, got, want)
		}
	}
}

func TestEmptyInput(t *testing.T) {
	for _, content := range []string{"", "\n\n", " "} {
		for _, stdin := range []bool{false, true} {
			if got, _, _ := read(t, content, stdin); got != "" {
				t.Errorf("%q: got %q", content, got)
			}
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing"), nil); err == nil {
		t.Error("a missing file was opened")
	}
}

func TestSpooledInputIsRemoved(t *testing.T) {
	in, err := Open("-", strings.NewReader(kcatLines))
	if err != nil {
		t.Fatal(err)
	}
	name := in.file.Name()
	in.Close()
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", name, err)
	}
}

func TestLongLines(t *testing.T) {
	long := `{"symbol":"QXA","pad":"` + strings.Repeat("x", 1<<20) + `","ts":1735831800}`
	if got, _, _ := read(t, long+"\n"+long, false); strings.Count(got, `"QXA" 1735831800000000000`) != 2 {
		t.Errorf("lines of 1 MiB: got %.200q", got)
	}
	l, err := newLineReader(io.LimitReader(endless('x'), maxLine+(1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.next(); err == nil || !strings.Contains(err.Error(), "line 1 is longer than 67108864 bytes") {
		t.Errorf("an endless line: %v", err)
	}
}

// endless is a reader of one byte for ever.
type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(kcatLines))
	f.Add([]byte(`{"symbol":"QXA","ts":17358`))
	f.Fuzz(func(t *testing.T, content []byte) {
		in, err := Open("-", bytes.NewReader(content))
		if err != nil {
			return
		}
		defer in.Close()
		decoder, _ := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
		r, err := in.Records(decoder, Placing{Hash: engine.HashMurmur2, Partitions: 3, Symbols: decoder})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var rec Record
		for r.Next(&rec) == nil {
			if rec.Partition < 0 || rec.Tick.Offset < 0 {
				t.Fatalf("%+v", rec)
			}
		}
	})
}
