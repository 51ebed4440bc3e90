package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// framed is content as an LZ4 frame.
func framed(t testing.TB, content []byte, options ...lz4.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(options...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents are what batches hold: text that repeats itself, noise that is
// stored as it is, more than a block of each, nothing.
func contents() map[string][]byte {
	random := rand.New(rand.NewSource(1))
	noise := make([]byte, 300<<10)
	random.Read(noise)
	var ticks strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&ticks, `{"symbol":"Q%d","ts":%d,"price":%d.%d}`, random.Intn(200), 1700000000000+i, random.Intn(90), random.Intn(90))
	}
	return map[string][]byte{
		"nothing": {}, "one byte": {7}, "ticks": []byte(ticks.String()), "noise": noise, "both": append([]byte(ticks.String()), noise...),
		"zeros": make([]byte, 5<<20), // far more than the pool expects
	}
}

func TestLZ4Frames(t *testing.T) {
	t.Parallel()
	d := NewDecompressor()
	for name, content := range contents() {
		for options, frame := range map[string][]byte{
			"as clients write":    framed(t, content),
			"blocks of 64 KiB":    framed(t, content, lz4.BlockSizeOption(lz4.Block64Kb)),
			"checksums of blocks": framed(t, content, lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true)),
			"no checksum":         framed(t, content, lz4.ChecksumOption(false)),
			"with its size":       framed(t, content, lz4.SizeOption(uint64(len(content)))),
		} {
			got, err := d.lz4(frame)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s, %s: %d bytes, %v; want %d", name, options, len(got), err, len(content))
			}
			inflated.PutDecompressBytes(got) // the next one must not see it
		}
	}
}

// What is no such frame, or a damaged one, is for franz-go to say.
func TestLZ4FramesLeftAlone(t *testing.T) {
	t.Parallel()
	d := NewDecompressor()
	content := contents()["ticks"][:3000]
	whole := framed(t, content)
	for name, frame := range map[string][]byte{
		"nothing":       {},
		"another magic": append([]byte("\x02"), whole[1:]...),
		"legacy":        framed(t, content, lz4.LegacyOption(true)),
		"two frames":    append(bytes.Clone(whole), whole...),
		"bytes behind":  append(bytes.Clone(whole), 0),
		"linked blocks": append(append(bytes.Clone(whole[:4]), whole[4]&^lz4Independent), whole[5:]...),
		"a dictionary":  append(append(bytes.Clone(whole[:4]), whole[4]|lz4Dictionary), whole[5:]...),
	} {
		if got, err := d.lz4(frame); !errors.Is(err, errOtherFrame) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for n := range len(whole) {
		if got, err := d.Decompress(whole[:n], kgo.CodecLz4); n > 0 && err == nil {
			t.Fatalf("the first %d of %d bytes: %d bytes", n, len(whole), len(got))
		}
	}
	two, err := d.Decompress(append(bytes.Clone(whole), whole...), kgo.CodecLz4)
	if want, wantErr := kgo.DefaultDecompressor().Decompress(append(bytes.Clone(whole), whole...), kgo.CodecLz4); !bytes.Equal(two, want) || (err == nil) != (wantErr == nil) {
		t.Errorf("two frames: %d bytes, %v; franz-go %d, %v", len(two), err, len(want), wantErr)
	}
}

// Whatever the bytes are, they come out as franz-go has them.
func FuzzLZ4(f *testing.F) {
	for _, content := range [][]byte{{}, []byte(strings.Repeat("tick tock ", 50)), []byte("noise")} {
		f.Add(framed(f, content))
		f.Add(framed(f, content, lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true), lz4.ChecksumOption(false)))
	}
	d, standard := NewDecompressor(), kgo.DefaultDecompressor()
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, err := d.lz4(frame)
		if err != nil {
			return
		}
		want, err := standard.Decompress(frame, kgo.CodecLz4)
		if err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, franz-go has %d", len(got), len(want))
		}
		inflated.PutDecompressBytes(got)
	})
}

// BenchmarkLZ4 decompresses a batch as both do, in memory that is lent.
func BenchmarkLZ4(b *testing.B) {
	frame := framed(b, contents()["ticks"])
	for name, d := range map[string]kgo.Decompressor{"by=franz-go": kgo.DefaultDecompressor(inflated), "by=auditstream": NewDecompressor()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(contents()["ticks"])))
			b.ReportAllocs()
			for b.Loop() {
				out, err := d.Decompress(frame, kgo.CodecLz4)
				if err != nil {
					b.Fatal(err)
				}
				inflated.PutDecompressBytes(out)
			}
		})
	}
}
