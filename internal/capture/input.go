package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"github.com/auditstream/auditstream/engine"
)

// Input is a capture whose form is known.
type Input struct {
	Name    string // the path, or "stdin"
	Bare    bool   // ticks only, as opposed to kcat's lines
	Size    int64  // bytes as they are stored, -1 when not known
	Summary Summary

	file     *os.File
	stream   *lineReader // standard input that has been looked at
	spooled  bool
	cut      bool // what was spooled ended in the middle of itself
	consumed atomic.Int64
}

// Summary is what a file of kcat's lines shows as a whole.
type Summary struct {
	Topics        []string         // in the order of their first record
	Partitions    map[string]int32 // by topic: highest partition shown + 1
	Widest        map[string]int64 // by topic: the line that shows it first, from 1
	TimestampType string           // CreateTime, LogAppendTime, "mixed", or "" when no record tells

	shown map[engine.Place]bool // topic and partition
}

// Open looks at a capture file, or at standard input when path is "-". One of
// kcat's lines is read once as a whole for its Summary, since an audit needs
// the partition count from its first record on; standard input of that form
// is kept in a temporary file meanwhile.
func Open(path string, stdin io.Reader) (*Input, error) {
	in := &Input{Name: path, Size: -1}
	source := stdin
	if path == "-" {
		in.Name = "stdin"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.file, source = file, file
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			in.Size = info.Size()
		} else {
			in.file, source = nil, file // a pipe: it can be read once
		}
	}
	if err := in.look(source); err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return in, nil
}

// look finds the form and, for kcat's lines, the summary.
func (in *Input) look(source io.Reader) error {
	lines, err := newLineReader(&countingReader{source, &in.consumed})
	if err != nil {
		return err
	}
	const enough = 128 << 10
	start, err := lines.in.Peek(enough)
	if err != nil && len(start) == 0 && !isEnd(err) {
		return err
	}
	in.Bare = !looksLikeKcat(start)
	if in.Bare && in.file == nil {
		in.stream = lines
		return nil
	}
	defer lines.closer()
	if in.Bare {
		return nil
	}
	if in.file == nil {
		if err := in.spool(lines); err != nil {
			return err
		}
		defer func(s *lineReader) { s.closer() }(lines)
		if lines, err = newLineReader(in.file); err != nil {
			return err
		}
	}
	return in.summarize(lines)
}

// spool copies a stream that can be read only once.
func (in *Input) spool(lines *lineReader) error {
	file, err := os.CreateTemp("", "auditstream-*.ndjson")
	if err != nil {
		return err
	}
	in.file, in.spooled = file, true
	in.Size, err = io.Copy(file, lines.in)
	in.cut = errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !isEnd(err) {
		return fmt.Errorf("keeping the input in %s: %w", file.Name(), err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

func (in *Input) summarize(lines *lineReader) error {
	s := Summary{Partitions: map[string]int32{}, Widest: map[string]int64{}, shown: map[engine.Place]bool{}}
	var k kcatLine
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		reason := k.parse(line)
		if !k.placed {
			continue
		}
		if _, known := s.Partitions[k.topic]; !known {
			s.Topics = append(s.Topics, k.topic)
		}
		if k.partition >= s.Partitions[k.topic] {
			s.Partitions[k.topic], s.Widest[k.topic] = k.partition+1, lines.line
		}
		s.shown[engine.Place{Topic: k.topic, Partition: k.partition}] = true
		if reason == engine.ReasonNone && k.timestampType != "" && s.TimestampType != k.timestampType {
			if s.TimestampType != "" {
				k.timestampType = mixedTypes
			}
			s.TimestampType = k.timestampType
		}
	}
	in.Summary = s
	return nil
}

// Close closes the file, and removes it when it was a temporary one.
func (in *Input) Close() {
	if in.stream != nil {
		in.stream.closer()
	}
	if in.file == nil {
		return
	}
	in.file.Close()
	if in.spooled {
		_ = os.Remove(in.file.Name()) // the system's temporary folder is cleaned anyway
	}
}

// Consumed is how many bytes of the stored file have been read.
func (in *Input) Consumed() int64 { return in.consumed.Load() }

// Shows says whether a topic is in the summary.
func (s *Summary) Shows(topic string) bool { return slices.Contains(s.Topics, topic) }

// ShowsPartition says whether a partition of a topic has a record.
func (s *Summary) ShowsPartition(topic string, partition int32) bool {
	return s.shown[engine.Place{Topic: topic, Partition: partition}]
}

// countingReader counts what is read, for progress.
type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}
