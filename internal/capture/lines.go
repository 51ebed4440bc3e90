package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxLine bounds a line. Kafka's records are 1 MiB unless configured
// otherwise, and JSON makes at most six bytes of one.
const maxLine = 64 << 20

// lineReader gives the lines of a stream, unpacked.
type lineReader struct {
	in     *bufio.Reader
	closer func()
	long   []byte // a line that does not fit into the reader's buffer
	line   int64  // number of the line read last
	short  bool   // the packed stream ended in the middle
}

// newLineReader looks at the first bytes to tell gzip and zstd from text.
func newLineReader(r io.Reader) (*lineReader, error) {
	const buffer = 256 << 10
	packed := bufio.NewReaderSize(r, buffer)
	magic, err := packed.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	l := &lineReader{in: packed, closer: func() {}}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		l.in = bufio.NewReaderSize(z, buffer)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		l.in, l.closer = bufio.NewReaderSize(z, buffer), z.Close
	}
	if mark, _ := l.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = l.in.Discard(3) // a byte order mark is not part of the first line
	}
	return l, nil
}

// next returns the next line that is not blank, without its end. It is valid
// until the next call. After the last line the error is io.EOF.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		l.line++
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// read returns a line; a packed stream that is cut off ends where it is cut.
func (l *lineReader) read() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long) > maxLine {
				return nil, fmt.Errorf("line %d is longer than %d bytes", l.line+1, maxLine)
			}
			line, err = l.in.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		l.short, err = true, io.EOF
	}
	if err == io.EOF && len(line) > 0 {
		return line, nil
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("line %d: %w", l.line+1, err)
	}
	if err != nil {
		return nil, io.EOF
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// isEnd says whether a stream is over, or cut off.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// atEnd says whether no further line follows.
func (l *lineReader) atEnd() bool {
	_, err := l.in.Peek(1)
	return err != nil
}
