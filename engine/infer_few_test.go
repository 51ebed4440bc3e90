package engine

import (
	"fmt"
	"strings"
	"testing"
)

// others are n keys that the first function puts elsewhere than the second,
// which no other key shares.
func others(n int, partitions int32, f, g family) (names []string) {
	for i := 0; len(names) < n; i++ {
		name := fmt.Sprintf("OTHER%d", i)
		if at := placesOf([]byte(name), partitions); at[f] != at[g] {
			names = append(names, name)
		}
	}
	return names
}

// Keys that only a second library can have written are told although they are
// too few to say which one it is; it becomes certain with more of them. One
// alone is left to the notes.
func TestFewKeysOfASecondFunctionAreTold(t *testing.T) {
	for n := 1; n <= 4; n++ {
		l := DefaultLimits()
		w := newFleet(t, 12, &l)
		for _, v := range vectors(t, 12) {
			w.send(v.key, v.at[familyMurmur2])
		}
		for _, name := range others(n, 12, familyCRC32, familyMurmur2) {
			w.send(name, placesOf([]byte(name), 12)[familyCRC32])
		}
		final := w.finish()
		if n == 1 {
			none(t, final, PartitionerMixed, SymbolSplit)
			continue
		}
		none(t, final, SymbolSplit)
		f := one(t, final, PartitionerMixed)
		functions := f.Evidence["functions"].([]Function)
		if last := functions[len(functions)-1]; len(functions) != 2 || functions[0].Name != "murmur2" || last.Keys != int64(n) || !strings.Contains(fmt.Sprint(last.Name, last.Or), "crc32") {
			t.Errorf("%d keys: functions %+v", n, functions)
		}
		if _, open := f.Evidence["more_keys"]; open != (f.Severity == Warning) || open != strings.Contains(f.Cause, "would decide") || open != (n < 3) {
			t.Errorf("%d keys: severity %v, evidence %v; %s", n, f.Severity, f.Evidence, f.Cause)
		}
	}
}

// A symbol that is split by two spellings of its key blames the keys: one
// library puts each of them where it lies.
func TestASplitByTwoKeysBlamesNoLibrary(t *testing.T) {
	for _, lead := range []bool{true, false} {
		l := DefaultLimits()
		w := newFleet(t, 16, &l)
		if lead {
			for _, v := range vectors(t, 16) {
				w.send(v.key, v.at[familyMurmur2])
			}
		}
		for _, key := range []string{"AAPL", "aapl"} {
			w.keyed("AAPL", []byte(key), placesOf([]byte(key), 16)[familyMurmur2], 20)
		}
		final := w.finish()
		none(t, final, PartitionerMixed)
		f := one(t, final, SymbolSplit)
		want := "which one function may put where they lie"
		if lead {
			want = "murmur2 puts each where it lies: the keys are the cause"
		}
		if !strings.Contains(f.Cause, want) || !strings.Contains(f.Cause, `"AAPL" on 1, "aapl" on `) || strings.Contains(f.Action, "default hashes") {
			t.Errorf("cause %s\naction %s", f.Cause, f.Action)
		}
	}
}

// Growth moves keys, and makes none of them two.
func TestKeysThatGrowthHasMovedCountOnce(t *testing.T) {
	for _, order := range []string{"by time", "up", "down"} {
		all := placedBy(familyMurmur2, "SY", 40)
		final := history(t, 6, order, epoch{3, all}, epoch{6, all}).finish()
		if !strings.Contains(final.Notes, "partitioner: murmur2 by 40 keys, ") {
			t.Errorf("%s: %s", order, final.Notes)
		}
	}
}

// What the report names as partitioner and what its notes say agree.
func TestNotesSayWhatThePartitionerIs(t *testing.T) {
	l := DefaultLimits()
	g := newLiveGrowth(t, 1, 3, &l)
	g.write(5, placedBy(familyMurmur2, "SY", 40), 3)
	g.know(6)
	g.checkpoint(0, true)
	if r := g.topic.report(TriggerInterval, ""); r.Partitioner != "murmur2" || !strings.Contains(r.Notes, "partitioner: murmur2, which keys followed before the topic grew; since then undecided, no key was seen") {
		t.Errorf("partitioner %q; %s", r.Partitioner, r.Notes)
	}
	for want, send := range map[string]func(w *fleet){
		"too few keys were seen to tell which function they follow": func(w *fleet) { w.send("QXA", 7) },
		"no known function explains where keys lie": func(w *fleet) {
			for i := range int32(60) {
				w.send(fmt.Sprintf("SYM%02d", i), i/5)
			}
		},
	} {
		l := DefaultLimits()
		l.Partitioner = "murmur2"
		w := newFleet(t, 12, &l)
		send(w)
		final := w.finish()
		if f := one(t, final, PartitionerMismatch); !strings.Contains(f.Cause, want) || !strings.Contains(final.Notes, "partitioner: murmur2 by configuration; "+want) {
			t.Errorf("want %q:\n%s\n%s", want, f.Cause, final.Notes)
		}
	}
}
