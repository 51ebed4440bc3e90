package capture

import (
	"bytes"
	"math"
	"slices"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// kcatLine is a line of kcat -J. Its buffers are used again for the next.
type kcatLine struct {
	topic         string
	partition     int32
	offset        int64
	recordTime    int64
	timestampType string
	key, payload  []byte // nil: null
	headers       []codecs.Header

	placed  bool // topic, partition and offset were there
	wide    bool // the partition is one that no topic has
	content bool // key and payload are to be read, not only the place
	seen    uint8
	millis  int64
	keyBuf  []byte
	valBuf  []byte
	names   []byte

	member func(name, value []byte) bool // onMember, bound once
}

// What a line has had.
const (
	seenTopic = 1 << iota
	seenPartition
	seenOffset
	seenTime
	seenAll = seenTopic | seenPartition | seenOffset
)

// parse reads a line. When it is damaged, what came before the damage has
// been read and the reason says what is wrong.
func (k *kcatLine) parse(line []byte) engine.Reason {
	if k.member == nil {
		k.member = k.onMember
		k.keyBuf, k.valBuf = make([]byte, 0, 64), make([]byte, 0, 512)
	}
	k.seen, k.wide, k.timestampType, k.key, k.payload = 0, false, "", nil, nil
	k.headers = k.headers[:0]
	reason := codecs.WalkObject(line, k.member)
	k.placed = k.seen&seenAll == seenAll
	k.recordTime = engine.NoTime
	if k.timestampType != "" && k.seen&seenTime != 0 && k.millis >= 0 && k.millis <= math.MaxInt64/1_000_000 {
		k.recordTime = k.millis * 1e6
	}
	if reason == engine.ReasonNone && !k.placed {
		reason = engine.ReasonSyntax
	}
	return reason
}

// onMember takes a member of the line. When only the place is asked for, the
// line is over with the key, which follows everything about it.
func (k *kcatLine) onMember(name, value []byte) bool {
	switch string(name) {
	case "topic":
		if value[0] == '"' {
			// Most lines name the topic of the line before.
			if t := value[1 : len(value)-1]; string(t) != k.topic {
				k.topic = string(codecs.AppendUnquoted(nil, value))
			}
			k.seen |= seenTopic
		}
	case "partition":
		n, ok := number(value)
		if ok && n >= 0 && n < MaxPartitions {
			k.partition = int32(n)
			k.seen |= seenPartition
		}
		k.wide = ok && n >= MaxPartitions
	case "offset":
		if n, ok := number(value); ok && n >= 0 {
			k.offset = n
			k.seen |= seenOffset
		}
	case "tstype":
		switch string(value) {
		case `"create"`:
			k.timestampType = CreateTime
		case `"logappend"`:
			k.timestampType = LogAppendTime
		}
	case "ts":
		if n, ok := number(value); ok {
			k.millis = n
			k.seen |= seenTime
		}
	case "key":
		if !k.content {
			return k.seen&seenAll != seenAll
		}
		k.key, k.keyBuf = kcatBytes(value, k.keyBuf)
	case "payload":
		if k.content {
			k.payload, k.valBuf = kcatBytes(value, k.valBuf)
		}
	case "headers":
		if k.content && value[0] == '[' {
			k.readHeaders(value)
		}
	}
	return true
}

// kcatBytes are the bytes of a key or payload: those of a string, nil for
// null, and the text itself where kcat decoded the bytes to JSON (-s avro).
func kcatBytes(value, buffer []byte) (content, grown []byte) {
	switch value[0] {
	case '"':
		buffer = codecs.AppendUnquoted(buffer[:0], value)
	case 'n':
		return nil, buffer
	default:
		buffer = append(buffer[:0], value...)
	}
	return buffer, buffer
}

// readHeaders reads names and values that alternate in one array.
func (k *kcatLine) readHeaders(array []byte) {
	k.names = k.names[:0]
	i := 0
	codecs.WalkArray(array, func(value []byte) {
		start := len(k.names)
		null := value[0] != '"'
		if !null {
			k.names = codecs.AppendUnquoted(k.names, value)
		}
		text := k.names[start:len(k.names):len(k.names)]
		if i++; i%2 == 1 {
			k.headers = append(k.headers, codecs.Header{Key: string(text)})
		} else if !null {
			k.headers[len(k.headers)-1].Value = text
		}
	})
}

// Len and At make the line its record's [codecs.Headers].
func (k *kcatLine) Len() int { return len(k.headers) }

// At is the i-th header.
func (k *kcatLine) At(i int) (key string, value []byte) { return k.headers[i].Key, k.headers[i].Value }

// number reads a whole number as JSON spells it.
func number(s []byte) (n int64, ok bool) {
	negative := s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// looksLikeKcat says whether any of the lines names topic, partition and
// offset, as kcat's do.
func looksLikeKcat(lines []byte) bool {
	var k kcatLine
	return slices.ContainsFunc(bytes.Split(lines, []byte("\n")), func(line []byte) bool {
		k.parse(line)
		return k.placed || k.wide && (k.seen|seenPartition)&seenAll == seenAll
	})
}
