package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// partitioner names the functions that explain where the sampled keys lie, as
// an audit of the same records names them.
func (s *sample) partitioner() Check {
	result := Check{"partitioner of " + s.topic, OK, "", "one function for every key", ""}
	if s.config.Partitioner != "auto" {
		result.Expected = s.config.Partitioner + ", by configuration"
	}
	if len(s.keys) == 0 || s.partitions < 2 {
		result.Observed = "not told by a topic of one partition, or without keys"
		return result
	}
	places := make([]engine.KeyPlace, 0, len(s.keys))
	for _, at := range s.keys {
		places = append(places, *at)
	}
	slices.SortFunc(places, func(a, b engine.KeyPlace) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Partition, b.Partition))
	})
	p := engine.InferPlaces(places, s.partitions)
	switch p.Verdict {
	case engine.Decided:
		s.decided(&result, &p, places)
	case engine.Mixed:
		s.mixed(&result, &p, places)
	case engine.NoFunction:
		noFunction(&result, &p)
	default:
		undecided(&result, &p)
	}
	for i := range p.Grown {
		result.Observed += fmt.Sprintf("; some keys lie as they did over %d partitions, before the topic grew to %d", p.Grown[i].From, p.Grown[i].To)
	}
	s.pinned(&result, &p, places)
	return result
}

func (s *sample) decided(result *Check, p *engine.Inference, places []engine.KeyPlace) {
	f := &p.Functions[0]
	by := "all of " + engine.Plural(p.Keys, "key")
	if p.Elsewhere > 0 {
		by = fmt.Sprintf("%d of %s", f.Keys, engine.Plural(p.Keys, "key"))
	}
	result.Observed = fmt.Sprintf("%s, by %s (%s)", f.Name, by, list(clientsOf(f)))
	if len(p.Same) > 0 {
		result.Observed += fmt.Sprintf(", the same as %s over %s", list(p.Same), engine.Plural(int64(s.partitions), "partition"))
	}
	if p.Elsewhere > 0 {
		result.Status = Warn
		result.Observed += example(f, places, s.partitions)
		result.Action = "find the producers that place these keys otherwise: auditstream explain SYMBOL_SPLIT"
	}
}

// mixed names every function, the one with most records first.
func (s *sample) mixed(result *Check, p *engine.Inference, places []engine.KeyPlace) {
	var parts []string
	for i := range p.Functions {
		f := &p.Functions[i]
		name := strings.Join(append([]string{f.Name}, f.Or...), " or ")
		parts = append(parts, fmt.Sprintf("%s %.1f %% of records (%s)", name, 100*f.Share, list(clientsOf(f))))
	}
	result.Status, result.Observed = Warn, strings.Join(parts, "; ")+example(&p.Functions[0], places, s.partitions)
	result.Action = "find the producers that place keys otherwise: auditstream explain PARTITIONER_MIXED"
}

func noFunction(result *Check, p *engine.Inference) {
	result.Status = Warn
	if len(p.Functions) > 0 {
		result.Observed = fmt.Sprintf("keys are ignored: %s", spread(p))
		result.Action = "find the producers that choose partitions in turn, at random or by number: auditstream explain PARTITIONER_MIXED"
		return
	}
	result.Observed = fmt.Sprintf("no known function explains where keys lie: %s", spread(p))
	result.Action = "see whether producers have a partitioner of their own; nothing is wrong with it while each key keeps its partition"
	if p.Places > p.Keys {
		result.Action = "find the producers that write one key to several partitions: auditstream explain SYMBOL_SPLIT"
	}
}

func undecided(result *Check, p *engine.Inference) {
	switch {
	case len(p.Candidates) == 1:
		result.Observed = fmt.Sprintf("undecided: of the known functions %s alone fits, by %s, too few to tell it from chance", p.Candidates[0], engine.Plural(p.Keys, "key"))
	case len(p.Candidates) > 0:
		result.Observed = fmt.Sprintf("undecided between %s: %s agree under each", list(p.Candidates), engine.Plural(p.Keys, "key"))
		if p.Keys == 1 {
			result.Observed = fmt.Sprintf("undecided between %s: one key lies where each puts it", list(p.Candidates))
		}
	default:
		result.Observed = fmt.Sprintf("undecided: no known function fits all, %s", spread(p))
	}
	if p.MoreKeys > 0 {
		result.Observed += "; about " + engine.Plural(int64(p.MoreKeys), "more key") + " would decide"
	}
	if p.Places > p.Keys {
		result.Status = Warn
		result.Action = "find the producers that write one key to several partitions: auditstream explain SYMBOL_SPLIT"
	}
}

// spread says how many keys lie on how many partitions each.
func spread(p *engine.Inference) string {
	if p.Places == p.Keys {
		return engine.Plural(p.Keys, "key") + ", each on one partition"
	}
	return fmt.Sprintf("%s on %s, counting each of their partitions", engine.Plural(p.Keys, "key"), engine.Plural(p.Places, "place"))
}

// pinned holds where the keys lie against the configured function.
func (s *sample) pinned(result *Check, p *engine.Inference, places []engine.KeyPlace) {
	if s.config.Partitioner == "auto" {
		return
	}
	want, err := engine.PartitionerByName(s.config.Partitioner)
	if err != nil || p.Verdict == engine.Decided && len(p.Functions) > 0 && p.Functions[0].Name == want.Hash.String() {
		return
	}
	fits := func(k engine.KeyPlace) bool { return want.Hash.Partition([]byte(k.Key), s.partitions) == k.Partition }
	if want.Hash == engine.HashNone || !slices.ContainsFunc(places, func(k engine.KeyPlace) bool { return !fits(k) }) {
		return
	}
	if result.Status = Warn; p.Verdict != engine.Mixed {
		result.Action = "set partitioner to what the records follow, or find the producers that do not follow it: auditstream explain PARTITIONER_MISMATCH"
	}
}

// example is the first key, in order, that the function does not explain.
func example(f *engine.Function, places []engine.KeyPlace, partitions int32) string {
	h, known := hashOf(f)
	for _, k := range places {
		if known && h.Partition([]byte(k.Key), partitions) != k.Partition {
			return fmt.Sprintf("; for example %q is on partition %d", engine.ShowBytes(k.Key), k.Partition)
		}
	}
	return ""
}

func hashOf(f *engine.Function) (h engine.Hash, known bool) {
	for _, h := range engine.Hashes() {
		if h.String() == f.Name {
			return h, true
		}
	}
	return engine.HashNone, false
}

// clientsOf are the clients whose default a function is, or else those that
// have it as a choice.
func clientsOf(f *engine.Function) []string {
	var defaults []string
	for _, p := range engine.Partitioners() {
		if slices.Contains(f.Clients, p.Name) && p.Choice == "" {
			defaults = append(defaults, p.Name)
		}
	}
	if len(defaults) > 0 {
		return defaults
	}
	return f.Clients
}
