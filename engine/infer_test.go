package engine

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// vector is a key with the partition to which clients wrote it, by function.
type vector struct {
	key string
	at  [familyCount]int32
}

// vectors are the rows of the fixture for topics of n partitions, with the
// faulty look-alikes besides. Keys of no bytes are left out: they prove nothing.
func vectors(t testing.TB, n int32) (out []vector) {
	f, err := os.Open("testdata/partitioner-vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if row[0] == "" || row[1] != fmt.Sprint(n) {
			continue
		}
		key, err := hex.DecodeString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		v := vector{key: string(key), at: placesOf(key, n)}
		for i, s := range row[2:] {
			var at int32
			if _, err := fmt.Sscan(s, &at); err != nil || at != v.at[i] {
				t.Fatalf("%s over %d: %s says %s, %v puts it on %d", row[0], n, rows[0][2+i], s, family(i), v.at[i])
			}
		}
		out = append(out, v)
	}
	if len(out) < 60 {
		t.Fatalf("%d keys for %d partitions", len(out), n)
	}
	return out
}

// fleet is a topic whose producers each use a function.
type fleet struct {
	*world
	n       int32
	offsets []int64
	at      int64
}

func newFleet(t testing.TB, n int32, l *Limits) *fleet {
	return &fleet{world: newWorld(t, int(n), l), n: n, offsets: make([]int64, n)}
}

// send writes a tick of a key to a partition.
func (f *fleet) send(key string, partition int32) {
	f.at += 1e6
	r := at(f.offsets[partition], f.at, key)
	f.offsets[partition]++
	r.partition = partition
	f.produce(r)
	f.step(int(partition))
}

// mix writes a hundred rounds of the keys with one function and one more with
// another.
func (f *fleet) mix(keys []vector, most, few family) {
	for i := range 100 {
		for _, v := range keys {
			if i < 99 || few == noFamily {
				f.send(v.key, v.at[most])
			} else {
				f.send(v.key, v.at[few])
			}
		}
	}
}

func TestEachFunctionAloneIsNamed(t *testing.T) {
	for _, n := range []int32{3, 7, 8, 12, 16, 64} {
		for f := range familyCount {
			l := DefaultLimits()
			w := newFleet(t, n, &l)
			keys := vectors(t, n)
			for _, v := range keys {
				w.send(v.key, v.at[f])
			}
			final := w.finish()
			want := f.String()
			for _, same := range newKinship(n).same(f) {
				if slices.Index(familyNames[:], same) < int(f) {
					want = same
					break
				}
			}
			if final.Partitioner != want || !strings.Contains(final.Notes, fmt.Sprintf("partitioner: %s by %d keys", want, len(keys))) {
				t.Errorf("%v over %d partitions: %q; %s", f, n, final.Partitioner, final.Notes)
			}
			none(t, final, PartitionerMixed, SymbolSplit, PartitionsChanged)
		}
	}
}

func TestEachPairMixed99To1IsNamed(t *testing.T) {
	for _, n := range []int32{3, 8, 12} {
		keys := vectors(t, n)
		kin := newKinship(n)
		for most := range familyCount {
			for few := range familyCount {
				if most == few || kin.disagree(most, few) == 0 || n != 12 && (most.faulty() || few.faulty() || (most+few)%2 == 1) {
					continue
				}
				l := DefaultLimits()
				w := newFleet(t, n, &l)
				w.mix(keys, most, few)
				final := w.finish()
				got := mixture(t, final)
				want := []string{standIn(kin, most), standIn(kin, few)}
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%v and %v over %d partitions: found %v; %s", most, few, n, got, final.Notes)
				}
				none(t, final, PartitionsChanged)
			}
		}
	}
}

// standIn is the name under which a function is told that is the same as
// another one at that partition count.
func standIn(k *kinship, f family) string {
	for g := range f {
		if k.disagree(f, g) == 0 {
			return g.String()
		}
	}
	return f.String()
}

// mixture are the functions that PARTITIONER_MIXED names, in alphabetical
// order, with the sum of their shares held to be 1.
func mixture(t *testing.T, r *Report) (names []string) {
	t.Helper()
	f := one(t, r, PartitionerMixed)
	functions, ok := f.Evidence["functions"].([]Function)
	if !ok {
		t.Fatalf("evidence %v", f.Evidence)
	}
	sum := 0.0
	for i := range functions {
		g := &functions[i]
		names = append(names, strings.Join(append([]string{g.Name}, g.Or...), "|"))
		sum += g.Share
		if len(g.Symbols) == 0 || len(g.Clients) == 0 || g.Odds > 0.01 {
			t.Errorf("evidence for %s: %+v", g.Name, g)
		}
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("shares add up to %v", sum)
	}
	slices.Sort(names)
	return names
}

func TestSharesAreThoseOfRecords(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	w.mix(vectors(t, 12), familyMurmur2, familyCRC32)
	f := one(t, w.finish(), PartitionerMixed)
	functions := f.Evidence["functions"].([]Function)
	// A key that both put on one partition counts for the larger share.
	if s := functions[1].Share; functions[0].Name != "murmur2" || s < 0.008 || s > 0.01 {
		t.Errorf("functions %+v", functions)
	}
	for _, client := range []string{"java", "kafka-python", "librdkafka:murmur2_random"} {
		if !slices.Contains(functions[0].Clients, client) {
			t.Errorf("clients of murmur2: %v", functions[0].Clients)
		}
	}
	if !slices.Contains(functions[1].Clients, "librdkafka") || f.Severity != Critical {
		t.Errorf("clients of crc32: %v, severity %v", functions[1].Clients, f.Severity)
	}
}

func TestKeysThatAgreeAreUndecided(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	w.send("QXA", 7)
	final := w.finish()
	if final.Partitioner != "undecided" || !strings.Contains(final.Notes, "crc32, fnv1a-abs, fnv1a-mask, fnv1a-uint, kafkajs-legacy fit; about 9 more keys would decide") {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
}

// FNV-1a's reductions agree on keys whose top bit is clear, however many.
func TestFNV1aVariantStaysOpen(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	for _, v := range vectors(t, 12) {
		if fnv1a([]byte(v.key))>>31 == 0 {
			w.send(v.key, v.at[familyFNV1aAbs])
		}
	}
	final := w.finish()
	if final.Partitioner != "undecided" || !strings.Contains(final.Notes, "fnv1a-abs, fnv1a-mask, fnv1a-uint fit") {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
	none(t, final, PartitionerMixed)
}

func TestAProducerThatIgnoresKeys(t *testing.T) {
	for _, n := range []int32{3, 8, 12} {
		keys := vectors(t, n)
		l := DefaultLimits()
		alone := newFleet(t, n, &l)
		for i := range 12 * len(keys) {
			alone.send(keys[i/12].key, int32(i)%n)
		}
		final := alone.finish()
		if final.Partitioner != "none" {
			t.Errorf("alone over %d: partitioner %q; %s", n, final.Partitioner, final.Notes)
		}
		if got := mixtureOf(t, final); !slices.Equal(got, []string{"keys-ignored"}) {
			t.Errorf("alone over %d: %v", n, got)
		}
		if f := one(t, final, PartitionerMixed); f.Observed != float64(n) || f.Unit != "partitions" || f.Count != int64(12*len(keys)) ||
			!strings.Contains(f.Cause, fmt.Sprintf("one key lies on up to %d of %d partitions", n, n)) {
			t.Errorf("alone over %d: %s", n, encode(t, f))
		}
		if want := fmt.Sprintf("keys are ignored (%d keys on %d places)", len(keys), int32(len(keys))*n); !strings.Contains(final.Notes, want) {
			t.Errorf("alone over %d: notes %q, want %q", n, final.Notes, want)
		}
		none(t, final, PartitionsChanged)
		if len(found(final, SymbolSplit)) == 0 {
			t.Errorf("alone over %d: no split", n)
		}

		random := rand.New(rand.NewPCG(1, uint64(n)))
		beside := newFleet(t, n, &l)
		for range 99 {
			for _, v := range keys {
				beside.send(v.key, v.at[familyMurmur2])
			}
		}
		for _, v := range keys {
			beside.send(v.key, random.Int32N(n))
			beside.send(v.key, random.Int32N(n))
		}
		if got := mixtureOf(t, beside.finish()); !slices.Equal(got, []string{"keys-ignored", "murmur2"}) {
			t.Errorf("beside murmur2 over %d: %v", n, got)
		}
	}
}

// A partitioner of the producer's own puts each key on one partition: no known
// function explains that, and nothing is wrong with it. A few keys that are
// elsewhere too are split; that they are ignored is not proven.
func TestAPartitionerOfOnesOwnIsNoMixture(t *testing.T) {
	for _, strays := range []int{0, 5} {
		l := DefaultLimits()
		w := newFleet(t, 12, &l)
		for i := range 60 {
			for round := range int32(3) {
				at := int32(i / 5)
				if round == 2 && i < strays {
					at = (at + 5) % 12
				}
				w.send(fmt.Sprintf("SYM%02d", i), at)
			}
		}
		final := w.finish()
		none(t, final, PartitionerMixed, PartitionsChanged)
		if n := len(found(final, SymbolSplit)); n != strays || final.Partitioner != "none" || !strings.Contains(final.Notes, "no known function explains where keys lie (60 keys") {
			t.Errorf("%d strays: %d splits, partitioner %q; %s", strays, n, final.Partitioner, final.Notes)
		}
	}
}

// Nor does it become one when the topic grew before the audit, which moves its
// symbols as nobody can tell.
func TestAPartitionerOfOnesOwnThroughAGrowth(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	for round := range 24 {
		for i := range 60 {
			n := 5
			if round >= 12 {
				n = 12
			}
			w.send(fmt.Sprintf("SYM%02d", i), int32(i*i+7*i/3)%int32(n))
		}
	}
	none(t, w.finish(), PartitionerMixed)
}

// A key that comes and goes between two partitions is ignored all the same.
func TestKeysIgnoredOverTwoPartitions(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 2, &l)
	for i := range 40 * 30 {
		w.send(fmt.Sprintf("SYM%02d", i%40), int32(i/40%2))
	}
	if final := w.finish(); !slices.Equal(mixtureOf(t, final), []string{"keys-ignored"}) {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
}

// Three keys on all of three partitions may be the work of three functions.
func TestFewKeysDoNotProveThatTheyAreIgnored(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 3, &l)
	for i := range 9 {
		w.send([]string{"QXA", "QXB", "ZTKR"}[i/3], int32(i%3))
	}
	final := w.finish()
	none(t, final, PartitionerMixed)
	if final.Partitioner != "undecided" || !strings.Contains(final.Notes, "undecided by 3 keys on 9 places") {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
}

// A sample is judged as an audit of the same records judges them.
func TestASampleIsJudgedAsAnAuditJudges(t *testing.T) {
	for _, few := range []family{noFamily, familyCRC32, familyFNV1aMask} {
		keys := vectors(t, 8)
		var sample []KeyPlace
		for _, v := range keys {
			sample = append(sample, KeyPlace{v.key, v.at[familyMurmur2], 9, NoTime, NoTime})
			if few != noFamily && v.at[few] != v.at[familyMurmur2] {
				sample = append(sample, KeyPlace{v.key, v.at[few], 1, NoTime, NoTime})
			}
		}
		got := InferPlaces(sample, 8)
		want := []string{"murmur2"}
		if few != noFamily {
			want = append(want, few.String())
		}
		var names []string
		for _, f := range got.Functions {
			names = append(names, f.Name)
		}
		if !slices.Equal(names, want) || got.Keys != int64(len(keys)) || got.Places != int64(len(sample)) || (got.Verdict == Mixed) != (len(want) > 1) {
			t.Errorf("want %v, got %+v", want, got)
		}
	}
}

func mixtureOf(t *testing.T, r *Report) (names []string) {
	t.Helper()
	f := one(t, r, PartitionerMixed)
	for _, g := range f.Evidence["functions"].([]Function) {
		names = append(names, g.Name)
	}
	slices.Sort(names)
	return names
}

// One key is no more proof for being that of many symbols.
func TestOneKeyOfManySymbolsIsCountedOnce(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	for i := range int64(200) {
		r := at(i, i*1e6, fmt.Sprintf("S%03d", i))
		r.tick.Key, r.partition = []byte("QXA"), 7
		w.produce(r)
		w.step(7)
	}
	final := w.finish()
	if final.Partitioner != "undecided" {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
}

func TestProducersAreNamedWhereAHeaderTellsThem(t *testing.T) {
	l := DefaultLimits()
	l.Partitioner = "murmur2"
	w := newFleet(t, 12, &l)
	for round := range int64(10) {
		for _, v := range vectors(t, 12) {
			for name, f := range map[string]family{"gateway-java": familyMurmur2, "pricer-c\xff": familyCRC32} {
				if f == familyCRC32 && round > 0 {
					continue
				}
				p := v.at[f]
				r := at(w.offsets[p], round*1e6, v.key)
				r.tick.Producer, r.partition = []byte(name), p
				w.offsets[p]++
				w.produce(r)
				w.step(int(p))
			}
		}
		if round == 5 {
			for id := range w.parts {
				w.checkpoint(id, true)
				w.restart(id)
			}
		}
	}
	final := w.finish()
	functions := one(t, final, PartitionerMixed).Evidence["functions"].([]Function)
	for i, want := range []string{"gateway-java", `pricer-c\xff`} {
		if p := functions[i].Producers; len(p) != 1 || p[0].Symbol != want {
			t.Errorf("producers of %s: %v, want %s", functions[i].Name, p, want)
		}
	}
	if p := one(t, final, PartitionerMismatch).Evidence["producers"].([]SymbolLoad); len(p) != 1 || p[0].Symbol != `pricer-c\xff` {
		t.Errorf("producers that contradict the configuration: %v", p)
	}
}

// TestHundredThousandSymbolsOfOneFamily also tells what inference costs.
func TestHundredThousandSymbolsOfOneFamily(t *testing.T) {
	symbols := 100_000
	if raceDetector {
		symbols = 20_000
	}
	for _, f := range []family{familyMurmur2} {
		l := DefaultLimits()
		w := newFleet(t, 12, &l)
		for i := range symbols {
			name := fmt.Sprintf("SYM-%06d", i)
			w.send(name, placesOf([]byte(name), 12)[f])
		}
		final := w.finish()
		none(t, final, PartitionerMixed, SymbolSplit, PartitionsChanged)
		if final.Partitioner != f.String() || final.Symbols != int64(symbols) {
			t.Errorf("partitioner %q, %d symbols; %s", final.Partitioner, final.Symbols, final.Notes)
		}
		for fits, list := range w.topic.placing.witness {
			if len(list) > witnessesPerClass {
				t.Errorf("%d witnesses for the functions %08b", len(list), fits)
			}
		}
		if n := len(w.topic.placing.named) + len(w.topic.placing.touched) + len(w.topic.placing.held); n > 0 {
			t.Errorf("%d symbols are kept to infer functions", n)
		}
	}
}

// TestRestartsForgetNoKey takes the topic's state through its rows after every
// fold.
func TestRestartsForgetNoKey(t *testing.T) {
	keys := vectors(t, 12)
	l := DefaultLimits()
	run := func(restart bool) *Report {
		w := newFleet(t, 12, &l)
		for i, v := range keys {
			f := familyMurmur2
			if i%5 == 0 {
				f = familyCRC32
			}
			w.send(v.key, v.at[f])
			if restart && i%7 == 0 {
				for id := range w.parts {
					w.checkpoint(id, true)
					w.restart(id)
				}
			}
		}
		return w.finish()
	}
	plain, broken := run(false), run(true)
	a, b := one(t, plain, PartitionerMixed), one(t, broken, PartitionerMixed)
	var evidence [2]map[string]any
	decode(t, encode(t, a.Evidence), &evidence[0])
	decode(t, encode(t, b.Evidence), &evidence[1])
	if !reflect.DeepEqual(evidence[0], evidence[1]) || a.ID != b.ID || plain.Partitioner != broken.Partitioner {
		t.Errorf("with restarts\n%s\nin one go\n%s", encode(t, b), encode(t, a))
	}
}

func BenchmarkInfer(b *testing.B) {
	keys := vectors(b, 12)
	b.Run("hash", func(b *testing.B) {
		for i := range b.N {
			fitsOf([]byte(keys[i%len(keys)].key), 0, 12)
		}
	})
	b.Run("explain", func(b *testing.B) {
		var classes []fitClass
		for i := range 200 {
			classes = append(classes, fitClass{Fits(i), 10, 5, 100})
		}
		k := newKinship(12)
		for range b.N {
			explain(classes, k)
		}
	})
}
