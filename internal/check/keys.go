package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

func (s *sample) addKey(r *kgo.Record, t *engine.Tick) {
	switch {
	case r.Key == nil:
		s.null++
		return
	case len(r.Key) == 0:
		s.empty++
		return
	}
	s.keyed++
	s.keys[keyPlace{string(r.Key), r.Partition}]++
	if r.Key[0] == 0 && len(r.Key) > 5 {
		s.framed++
	} else if t.Kind == engine.Good && !s.spells(r.Key, t.Symbol) {
		s.mismatched++
	}
}

func (s *sample) spells(key, symbol []byte) bool {
	if s.config.SymbolNormalize == "upper" {
		key = engine.NormalizeKey(key)
	}
	return bytes.Equal(key, symbol)
}

// keyForms says what the keys are.
func (s *sample) keyForms() Check {
	result := Check{"keys of " + s.topic, OK, "", "every key is its tick's symbol", ""}
	distinct := map[string]bool{}
	for at := range s.keys {
		distinct[at.key] = true
	}
	parts := []string{fmt.Sprintf("%s of %s", plural(int64(s.keyed), "record"), plural(int64(len(distinct)), "key"))}
	tell := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
			result.Status = Warn
		}
	}
	tell(s.null, "without a key")
	tell(s.empty, "with a key of no bytes")
	tell(s.mismatched, "whose key is not their symbol")
	tell(s.framed, "with a schema id before the key, so that a new schema moves every symbol")
	result.Observed = strings.Join(parts, "; ")
	if result.Status == Warn {
		result.Action = "let producers write the symbol's bytes as the key; auditstream explain KEY_MISMATCH"
	}
	return result
}

// leastKeys are as many as name a function where no function explains all.
const leastKeys = 3

// share is how much of the sample one hash explains.
type share struct {
	hash          engine.Hash
	keys, records int
}

// partitioner names the functions that explain where every sampled key lies.
func (s *sample) partitioner() Check {
	result := Check{"partitioner of " + s.topic, OK, "", "one function for every key", ""}
	if s.config.Partitioner != "auto" {
		result.Expected = s.config.Partitioner + ", by configuration"
	}
	total, records := len(s.keys), 0
	for _, n := range s.keys {
		records += n
	}
	if total == 0 || s.partitions < 2 {
		result.Observed = "not told by a topic of one partition, or without keys"
		return result
	}
	var all []string
	var hashes []engine.Hash
	for _, h := range engine.Hashes() {
		if e := s.explained(h, nil); e.keys == total {
			all, hashes = append(all, h.String()), append(hashes, h)
		}
	}
	switch {
	case len(all) == 1:
		result.Observed = fmt.Sprintf("%s, by all of %s (%s)", all[0], plural(int64(total), "key"), list(clientsOf(hashes[0])))
	case len(all) > 1:
		result.Observed = fmt.Sprintf("undecided between %s: %s agree under each", list(all), plural(int64(total), "key"))
	default:
		s.mixed(&result, total, records)
		return result
	}
	s.pinned(&result, hashes)
	return result
}

// pinned holds the functions that fit against the configured one.
func (s *sample) pinned(result *Check, fits []engine.Hash) {
	if s.config.Partitioner == "auto" {
		return
	}
	p, err := engine.PartitionerByName(s.config.Partitioner)
	if err != nil || slices.Contains(fits, p.Hash) {
		return
	}
	result.Status = Warn
	result.Action = "set partitioner to what the records follow, or find the producers that do not follow it: auditstream explain PARTITIONER_MISMATCH"
}

// mixed names the functions that together explain most, the one that explains
// most first.
func (s *sample) mixed(result *Check, total, records int) {
	var set []engine.Hash
	var parts []string
	left := total
	for left > 0 && len(set) < 3 {
		best := share{}
		for _, h := range engine.Hashes() {
			if e := s.explained(h, set); e.keys > best.keys {
				best = e
			}
		}
		// What a function explains by chance is no evidence for it.
		if best.keys < leastKeys || best.keys*int(s.partitions) < 2*left {
			break
		}
		set = append(set, best.hash)
		left -= best.keys
		parts = append(parts, fmt.Sprintf("%s %.1f %% of records (%s)", best.hash, 100*float64(best.records)/float64(records), list(clientsOf(best.hash))))
	}
	result.Status = Warn
	result.Action = "find the producers that place keys otherwise: auditstream explain PARTITIONER_MIXED"
	if len(set) == 0 {
		result.Observed = fmt.Sprintf("no known function explains where %s lie: producers ignore keys, or choose partitions themselves", plural(int64(total), "key"))
		return
	}
	result.Observed = strings.Join(parts, "; ")
	if left > 0 {
		result.Observed += fmt.Sprintf("; %s by none of them", plural(int64(left), "key"))
	}
	if odd, at := s.example(set[0]); odd != "" {
		result.Observed += fmt.Sprintf("; for example %q on partition %d", odd, at)
	}
}

// explained counts what a hash explains and none of the others does.
func (s *sample) explained(h engine.Hash, others []engine.Hash) share {
	e := share{hash: h}
next:
	for at, n := range s.keys {
		if h.Partition([]byte(at.key), s.partitions) != at.partition {
			continue
		}
		for _, other := range others {
			if other.Partition([]byte(at.key), s.partitions) == at.partition {
				continue next
			}
		}
		e.keys++
		e.records += n
	}
	return e
}

// example is the first key, in order, that a hash does not explain.
func (s *sample) example(h engine.Hash) (key string, partition int32) {
	partition = -1
	for at := range s.keys {
		if h.Partition([]byte(at.key), s.partitions) != at.partition && (partition < 0 || at.key < key || at.key == key && at.partition < partition) {
			key, partition = at.key, at.partition
		}
	}
	return engine.ShowBytes(key), partition
}

// clientsOf are the clients whose default a hash is, or else those that have
// it as a choice.
func clientsOf(h engine.Hash) []string {
	var defaults, choices []string
	for _, p := range engine.Partitioners() {
		switch {
		case p.Hash != h || p.Client == "":
		case p.Choice == "":
			defaults = append(defaults, p.Name)
		default:
			choices = append(choices, p.Name)
		}
	}
	if len(defaults) > 0 {
		return defaults
	}
	return choices
}
