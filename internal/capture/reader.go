package capture

import (
	"bytes"
	"fmt"
	"io"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Placing says where the ticks of a bare file lie: each on the partition that
// the hash gives for its symbol, with offsets counted on each partition.
type Placing struct {
	Hash       engine.Hash
	Partitions int32
	Symbols    codecs.TickDecoder // reads exact symbols
	Producer   string             // header that names a record's producer; empty: none does
}

// unknownKey stands for the key of a bare line whose symbol cannot be read.
// The file does not tell keys; this one is neither null nor empty, which
// would be faults of their own, and such a line lies on partition 0.
var unknownKey = []byte("?")

// kcatTalk begins what kcat says beside the records, such as that it has
// reached the end of a partition, where its stderr went into the file too.
var kcatTalk = []byte("% ")

// Reader gives the records of a capture in the order of the file. It reads
// them as a stream.
type Reader struct {
	lines   *lineReader
	bare    bool
	cut     bool // the input was, before it was kept in a file
	ticks   *codecs.TickReader
	exact   *codecs.TickReader // of a bare file: reads the symbol that places a tick, nil: ticks does
	placing Placing

	kcat    kcatLine
	record  codecs.Record
	damaged engine.Tick     // stands for a line that is no record
	over    bool            // the record has no further ticks
	next    map[int32]int64 // of a bare file: the partitions' next offsets
	last    engine.Place    // of kcat's lines: the record read last

	lost     int64 // lines whose record cannot be named
	lostLine int64 // the first of them
}

// Records starts reading at the beginning. The decoder reads values; placing
// matters for bare files only.
func (in *Input) Records(decoder codecs.TickDecoder, placing Placing) (*Reader, error) {
	r := &Reader{bare: in.Bare, cut: in.cut, placing: placing, next: map[int32]int64{}}
	r.ticks = codecs.NewTickReader(decoder, placing.Producer)
	if placing.Symbols != decoder {
		r.exact = codecs.NewTickReader(placing.Symbols, "")
	}
	r.kcat.content = true
	r.last = engine.Place{Offset: -1}
	if in.stream != nil {
		r.lines = in.stream
		return r, nil
	}
	if _, err := in.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	in.consumed.Store(0)
	lines, err := newLineReader(&countingReader{in.file, &in.consumed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	r.lines = lines
	return r, nil
}

// Close ends unpacking.
func (r *Reader) Close() {
	if r.lines != nil {
		r.lines.closer()
	}
}

// CutShort says whether a packed file ended in the middle.
func (r *Reader) CutShort() bool { return r.cut || r.lines.short }

// Lost is the number of damaged lines that do not tell which record they are,
// and the first of them.
func (r *Reader) Lost() (lines, first int64) { return r.lost, r.lostLine }

// Next reads a record. After the last one the error is io.EOF.
func (r *Reader) Next(rec *Record) error {
	for {
		line, err := r.lines.next()
		if err != nil {
			return err
		}
		rec.Line = r.lines.line
		if r.bare {
			r.bareRecord(line, rec)
			return nil
		}
		if bytes.HasPrefix(line, kcatTalk) {
			continue
		}
		if r.kcatRecord(line, rec) {
			return nil
		}
		if r.lost++; r.lost == 1 {
			r.lostLine = rec.Line
		}
	}
}

// NextTick is the next tick of the record that was read last, nil when there
// is none; see [codecs.TickReader].
func (r *Reader) NextTick() *engine.Tick {
	if r.over {
		return nil
	}
	return r.ticks.Next()
}

// SkipTick leaves out the tick that was read last.
func (r *Reader) SkipTick() { r.ticks.Skip() }

// bareRecord makes a record of a tick. Its key is the symbol as it stands in
// the value, since that is what places it; of several ticks, the first one's.
func (r *Reader) bareRecord(line []byte, rec *Record) {
	r.record = codecs.Record{Time: engine.NoTime, Value: line}
	t := r.ticks.Read(&r.record)
	symbol := t.Symbol
	if r.exact != nil {
		symbol = r.exact.Read(&r.record).Symbol
	}
	t.Key, rec.Partition = unknownKey, 0
	if len(symbol) > 0 {
		t.Key = symbol
		rec.Partition = r.placing.Hash.Partition(symbol, r.placing.Partitions)
	}
	rec.Topic, rec.Tick, r.over = "", t, false
	t.Offset = r.next[rec.Partition]
	r.next[rec.Partition]++
}

// kcatRecord makes a record of kcat's line. It is false for a damaged line
// that does not tell its place; only that of the last line of the file can be
// guessed without taking the place of a later record.
func (r *Reader) kcatRecord(line []byte, rec *Record) bool {
	k := &r.kcat
	reason := k.parse(line)
	if !k.placed {
		if !r.lines.atEnd() || r.last.Offset < 0 {
			return false
		}
		k.topic, k.partition, k.offset = r.last.Topic, r.last.Partition, r.last.Offset+1
	}
	r.last = engine.Place{Topic: k.topic, Partition: k.partition, Offset: k.offset}
	rec.Topic, rec.Partition = k.topic, k.partition
	if r.over = reason != engine.ReasonNone; r.over {
		r.damaged = engine.Tick{Offset: k.offset, RecordTime: k.recordTime, Key: k.key, Value: line, Kind: engine.Unreadable, Reason: reason}
		if k.key == nil {
			r.damaged.Key = unknownKey
		}
		rec.Tick = &r.damaged
		return true
	}
	r.record = codecs.Record{Offset: k.offset, Time: k.recordTime, Key: k.key, Value: k.payload}
	if len(k.headers) > 0 {
		r.record.Headers = k
	}
	rec.Tick = r.ticks.Read(&r.record)
	return true
}
