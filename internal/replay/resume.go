package replay

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// saveShare is how many times as long as a save takes passes until the next
// at least.
const saveShare = 20

// saver keeps what the merge of one topic has taken, and writes it now and
// then. What lies between the merge and the end of what was read is judged
// anew after a kill.
type saver struct {
	resume *Resume
	state  *State
	topic  *topicState
	lanes  map[*lane]*tracked
	rows   map[string]engine.TopicRow
	next   time.Time
}

func newSaver(r *Resume, s *State, topic *topicState) *saver {
	return &saver{
		resume: r, state: s, topic: topic, lanes: map[*lane]*tracked{}, rows: map[string]engine.TopicRow{}, next: time.Now().Add(r.Every),
	}
}

// take notes a chunk and what the topic has made of it.
func (s *saver) take(l *lane, c *chunk, rows []engine.TopicRow) error {
	s.lane(l).take(c)
	for _, r := range rows {
		if r.Deletes() {
			delete(s.rows, r.Key)
		} else {
			s.rows[r.Key] = r
		}
	}
	if time.Now().Before(s.next) {
		return nil
	}
	return s.save()
}

func (s *saver) lane(l *lane) *tracked {
	t := s.lanes[l]
	if t == nil {
		t = &tracked{symbols: map[string]engine.SymbolRow{}}
		s.lanes[l] = t
	}
	return t
}

// save writes the file.
func (s *saver) save() error {
	began := time.Now()
	s.topic.Lanes, s.topic.Rows = nil, map[string][]byte{}
	for l, t := range s.lanes {
		ls := &laneState{Partition: l.Partition, At: t.at, Symbols: map[string][]byte{}}
		var err error
		if ls.Row, err = codecs.EncodePartitionRow(t.row); err != nil {
			return err
		}
		for _, r := range t.symbols {
			ls.Symbols[symbolKey(r.Symbol)] = codecs.AppendSymbolRow(nil, &r)
		}
		s.topic.Lanes = append(s.topic.Lanes, ls)
	}
	slices.SortFunc(s.topic.Lanes, func(a, b *laneState) int { return int(a.Partition - b.Partition) })
	for key, r := range s.rows {
		b, err := codecs.EncodeTopicRow(&r)
		if err != nil {
			return err
		}
		s.topic.Rows[key] = b
	}
	err := s.state.write(s.resume)
	now := time.Now()
	s.next = now.Add(max(s.resume.Every, saveShare*now.Sub(began)))
	return err
}

// end notes that the topic's FINAL report is written.
func (s *saver) end() error {
	s.topic.Ended, s.topic.Lanes, s.topic.Rows = true, nil, nil
	return s.state.write(s.resume)
}

// write saves the state behind the output that it speaks of.
func (s *State) write(r *Resume) (err error) {
	if s.Output, err = r.Output(); err != nil {
		return err
	}
	return s.save(r.Path)
}

// newState fixes what is read.
func newState(r *Resume, all []history) *State {
	s := &State{Version: stateVersion, Of: r.Of}
	for _, h := range all {
		s.Topics = append(s.Topics, &topicState{Topic: h.topic, TopicID: h.topicID[:], Partitions: h.partitions, Spans: h.spans})
	}
	return s
}

// histories are the ranges that the state has fixed. A topic that was
// re-created since has none of them.
func (s *State) histories(ids func(topic string) [16]byte) ([]history, error) {
	var all []history
	for _, t := range s.Topics {
		h := history{topic: t.Topic, partitions: t.Partitions, spans: t.Spans, state: t}
		if h.topicID = ids(t.Topic); string(h.topicID[:]) != string(t.TopicID) {
			return nil, invalidf("the topic %s was re-created since the resume file was written", t.Topic)
		}
		all = append(all, h)
	}
	return all, nil
}

// restore brings lanes and topic to where the state has them.
func (t *topicReplay) restore(ts *topicState) error {
	byID := map[int32]*lane{}
	for _, l := range t.lanes {
		byID[l.Partition] = l
	}
	for _, ls := range ts.Lanes {
		l := byID[ls.Partition]
		if l == nil {
			return fmt.Errorf("resume file: it has no range of partition %d", ls.Partition)
		}
		tr := t.merge.saver.lane(l)
		// Twice, here and below: who judges goes on with the row as its own.
		judged, err := codecs.DecodePartitionRow(ls.Row)
		if err != nil {
			return err
		}
		kept, err := codecs.DecodePartitionRow(ls.Row)
		if err != nil {
			return err
		}
		l.judge.RestorePartition(judged)
		tr.row, tr.at, l.at = &kept, ls.At, ls.At
		for _, key := range slices.Sorted(maps.Keys(ls.Symbols)) {
			name, err := hex.DecodeString(key)
			if err != nil {
				return fmt.Errorf("resume file: symbol %q: %w", key, err)
			}
			r, err := codecs.DecodeSymbolRow(string(name), ls.Symbols[key])
			if err != nil {
				return err
			}
			l.judge.RestoreSymbol(r)
			tr.symbols[r.Symbol] = r
		}
		l.read, l.seen = l.at.Next, l.at.Next
	}
	for _, key := range slices.Sorted(maps.Keys(ts.Rows)) {
		judged, err := topicRow(key, ts.Rows[key])
		if err != nil {
			return err
		}
		kept, err := topicRow(key, ts.Rows[key])
		if err != nil {
			return err
		}
		t.topic.Restore(judged)
		t.merge.saver.rows[key] = kept
	}
	return nil
}

// topicRow reads a row so that evidence comes out byte for byte as it was.
func topicRow(key string, b []byte) (engine.TopicRow, error) {
	r, err := codecs.DecodeTopicRow(key, b)
	if err != nil || r.Episode == nil && r.Heard == nil {
		return r, err
	}
	var raw struct {
		Episode *struct {
			Finding struct{ Evidence map[string]json.RawMessage }
		}
		Heard *struct{ Evidence map[string]json.RawMessage }
	}
	if err := json.Unmarshal(b[1:], &raw); err != nil { // behind the version
		return r, err
	}
	keep := func(f *engine.Finding, evidence map[string]json.RawMessage) {
		for name, text := range evidence {
			f.Evidence[name] = text
		}
	}
	if r.Episode != nil {
		keep(&r.Episode.Finding, raw.Episode.Finding.Evidence)
	}
	if r.Heard != nil {
		keep(r.Heard, raw.Heard.Evidence)
	}
	return r, nil
}
