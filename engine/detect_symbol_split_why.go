package engine

import (
	"fmt"
	"strings"
)

// keysShown bounds the keys that a sentence names.
const keysShown = 3

// whySplit says why a symbol may lie on several partitions, and what to do. A
// symbol under several keys needs no second function: when one function puts
// each key where it lies, the keys are to blame and no library is.
func (t *Topic) whySplit(places []SymbolPlace) (why, action string) {
	keys, all, whole := map[string]bool{}, Fits(1<<familyCount-1), true
	var shown []string
	for i := range places {
		p := &places[i]
		key, known := hidden(p.Key)
		if whole = whole && known && key != ""; known && key != "" {
			all &= fitsOf([]byte(key), p.Partition, t.state.Partitions)
		}
		if keys[p.Key] = true; len(shown) < keysShown {
			shown = append(shown, fmt.Sprintf("%q on %d", p.Key, p.Partition))
		}
	}
	if len(keys) < 2 {
		return t.whyOneKey(places), SymbolSplit.Info().Action
	}
	said := "its ticks have different keys (" + strings.Join(shown, ", ") + ")"
	if f, known := t.follows(); known && whole && all.has(f) {
		return fmt.Sprintf("%s, and %s puts each where it lies: the keys are the cause, not a second library", said, f),
			"Make the producers of that symbol write one key, byte for byte (auditstream plan partition shows where each key lies)."
	}
	if whole && all != 0 {
		return said + ", which one function may put where they lie", "Make the producers of that symbol write one key, byte for byte; if it stays split, find out whether they use one library."
	}
	return said + ", and no one function puts each where it lies: both the keys and the partitioners differ", "Make the producers of that symbol write one key, byte for byte, and give all of them the same partitioner (auditstream plan divergence)."
}

// whyOneKey names the functions that put the one key of a symbol on each of
// its partitions.
func (t *Topic) whyOneKey(places []SymbolPlace) string {
	key, whole := hidden(places[0].Key)
	if !whole || key == "" {
		return "its key is the same on each"
	}
	hashes := fitting(places, t.state.Partitions)
	var by []string
	none := 0
	for _, p := range places[:min(len(places), 8)] {
		if names := hashes[fmt.Sprint(p.Partition)]; len(names) > 0 {
			by = append(by, fmt.Sprintf("%s on %d", strings.Join(names, " or "), p.Partition))
		} else {
			none++
		}
	}
	said := "one key, which no known function puts on any of them"
	if len(by) > 0 {
		said = "one key, which lies by " + strings.Join(by, ", by ")
	}
	if none > 0 && len(by) > 0 {
		said += fmt.Sprintf(", and by none on %d more", none)
	}
	return said
}
