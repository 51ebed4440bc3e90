package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/auditstream/auditstream/engine"
)

const stateVersion = 1

// Resume is where a replay saves how far it has come, so that one that was
// killed can go on.
type Resume struct {
	Path  string
	Every time.Duration
	// Of describes what is replayed and how, by names of flags and keys.
	Of map[string]string
	// Output makes durable what has been reported and tells how far it is, in
	// the caller's own terms.
	Output func() (json.RawMessage, error)
}

// State is what a resume file holds.
type State struct {
	Version int               `json:"version"`
	Of      map[string]string `json:"of"`
	Ended   bool              `json:"ended"` // the replay came to its end
	Topics  []*topicState     `json:"topics"`
	Output  json.RawMessage   `json:"output"`
}

// topicState is how far the replay of one topic has come. What it reads is
// fixed at the start, so it is part of it.
type topicState struct {
	Topic      string            `json:"topic"`
	TopicID    []byte            `json:"topic_id"`
	Partitions int32             `json:"partitions"`
	Spans      []span            `json:"spans"`
	Ended      bool              `json:"ended"`
	Lanes      []*laneState      `json:"lanes"`
	Rows       map[string][]byte `json:"rows"` // of the topic, by key
}

type laneState struct {
	Partition int32             `json:"partition"`
	At        position          `json:"at"`
	Row       []byte            `json:"row"`     // of the partition, none before its first chunk
	Symbols   map[string][]byte `json:"symbols"` // rows by symbol in hex
}

// Damaged is a resume file that does not hold what was written to it.
type Damaged struct {
	Path string
	Err  error
}

func (e *Damaged) Error() string { return fmt.Sprintf("resume file %s is damaged: %v", e.Path, e.Err) }

// Unwrap is what is wrong with the file.
func (e *Damaged) Unwrap() error { return e.Err }

// LoadState reads a resume file. It is nil when there is none. A file that was
// written in part, or changed, is an error of type [*Damaged]; one of another
// replay is [Invalid] and names what differs.
func LoadState(path string, of map[string]string) (*State, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, sum, found := bytes.Cut(b, []byte("\n"))
	if !found || string(bytes.TrimSpace(sum)) != checksum(content) {
		return nil, &Damaged{path, errors.New("its checksum is not that of its content")}
	}
	s := new(State)
	if err := json.Unmarshal(content, s); err != nil {
		return nil, &Damaged{path, err}
	}
	if s.Version != stateVersion {
		return nil, invalidf("resume file %s has version %d, and this program writes %d", path, s.Version, stateVersion)
	}
	names := maps.Clone(of)
	maps.Copy(names, s.Of)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was, is := s.Of[name], of[name]; was != is {
			return nil, invalidf("resume file %s is of another replay: %s was %q there and is %q here", path, name, was, is)
		}
	}
	return s, nil
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// save writes the file anew and puts it in the place of the old one, so that a
// kill leaves the one or the other.
func (s *State) save(path string) error {
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("resume file %s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("resume file: %w", err)
	}
	_, err = file.Write(append(append(content, '\n'), checksum(content)+"\n"...))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("resume file %s: %w", path, err)
	}
	return nil
}

// symbolKey is a symbol's exact bytes as a name in JSON.
func symbolKey(symbol string) string { return hex.EncodeToString([]byte(symbol)) }

// tracked is what the merge has taken of a lane.
type tracked struct {
	at      position
	row     *engine.PartitionRow // nil before the first chunk
	symbols map[string]engine.SymbolRow
}

func (t *tracked) take(c *chunk) {
	t.at, t.row = c.at, &c.snap.PartitionRow
	for _, r := range c.snap.Rows {
		t.symbols[r.Symbol] = r
	}
}
