package codecs

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// planned is a row at the limits that MaxSymbolRowBytes is stated for.
func planned() engine.SymbolRow {
	const day = int64(86_400e9)
	first, offset := int64(3), int64(1e12)
	return engine.SymbolRow{
		Symbol: "QXA", Through: offset, Count: 1e11, Disorder: 1e11, First: first, Log: math.MaxUint32,
		Partitions: 10_000, Placed: true, Fits: 255, KeySum: math.MaxUint32,
		LastEvent: t0, LastAhead: t0 + 37e9, LastSeen: t0 + 20e6, WindowN: 1e9, Lead: 37e9, AheadLead: -3600e9, Sighted: true, SilentFrom: first,
		Episode: &engine.DisorderRow{
			FirstOffset: offset - 10, LastOffset: offset, WorstOffset: offset - 5, FirstTime: t0 - day, LastTime: t0,
			Count: 1e11, Worst: 3600e9, Step: t0, Told: t0 - 60e9,
		},
	}
}

func TestSymbolRowBytes(t *testing.T) {
	plain := engine.SymbolRow{
		Symbol: "QXA", Through: 41, Count: 7, Disorder: 1, First: 30, LastEvent: t0, LastAhead: engine.NoTime,
		LastSeen: t0 + 20e6, WindowN: 2, SilentFrom: -1,
	}
	open := plain
	open.Sighted, open.SilentFrom, open.LastAhead = true, 40, t0+37e9
	open.Episode = &engine.DisorderRow{
		FirstOffset: 35, LastOffset: 41, WorstOffset: 38, FirstTime: t0, LastTime: t0 + 10e6, Count: 3, Worst: 5e6, Step: t0 + 10e6, Told: t0,
	}
	placed := plain
	placed.Partitions, placed.Placed, placed.Fits, placed.KeySum = 12, true, 3, 9
	logged := plain
	logged.Log = 0x0a0b0c0d
	fed := plain
	fed.Unit = engine.UnitMicros
	fed.Streams = []engine.StreamRow{
		{Venue: "X", Through: 40, LastEvent: t0, LastAhead: engine.NoTime, Lead: 3},
		{Venue: "TRF", Through: 41, LastEvent: t0, LastAhead: t0 + 37e9, Numbers: engine.NumberRow{
			Known: true, Last: 108, First: 101, Event: t0, Content: 9, Lost: 3, Filled: 1, Repeats: 2, Missing: []engine.Span{{From: 104, To: 106}},
		}},
	}
	// Bytes that are stored: a change of the layout needs a new version.
	for golden, row := range map[string]engine.SymbolRow{
		"0100" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400":                         plain,
		"0180" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400" + "06" + "08040a0b0c0d": logged,
		"0120" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400" + "180612":              placed,
		"0180" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400" + "2f" + "010102" + "022a" + "02" +
			"0158" + "020006" + "00" + "03545246" + "000000" + "07" + "1816e9dbe232e200" + "d8010006020400" + "0000000000000009" + "01" + "0804" + "0e": fed,
		"010f" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400" + "1816e9dbe232e200" + "02" +
			"0a" + "0c" + "06" + "06" + "80ade204" + "ffb38913" + "80dac409" + "80dac409" + "00": open,
	} {
		if got := hex.EncodeToString(AppendSymbolRow(nil, &row)); got != golden {
			t.Errorf("got  %s\nwant %s", got, golden)
		}
	}
	row := planned()
	if n := len(AppendSymbolRow(nil, &row)); n > MaxSymbolRowBytes {
		t.Errorf("a row at the stated limits has %d bytes", n)
	}
	bins := make([]uint16, engine.PaceBins)
	for i := range bins {
		bins[i] = 4095 // one more, and all are halved
	}
	row.Pulse = &engine.PulseRow{
		Halted: true, Ended: true, Frozen: true, Content: math.MaxUint64, Same: 1e11, From: 3, Since: t0 - 7*86_400e9, Event: t0 - 7*86_400e9,
		Ticked: t0 - 7*86_400e9, Changed: t0 - 7*86_400e9, Gaps: bins, Changes: bins,
	}
	if n := len(AppendSymbolRow(nil, &row)); n > MaxSymbolRowBytes+MaxPulseRowBytes {
		t.Errorf("a row of a symbol that is judged for silence has %d bytes", n)
	}
}

func TestSymbolRowRoundTrip(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	number := func() int64 {
		switch random.Intn(6) {
		case 0:
			return math.MinInt64
		case 1:
			return math.MaxInt64
		case 2:
			return -1
		}
		return random.Int63() >> random.Intn(63)
	}
	for range 20_000 {
		want := engine.SymbolRow{
			Symbol: "Q\x00\xffA", Through: number(), Count: number(), Disorder: number(), First: number(), LastEvent: number(),
			LastAhead: number(), LastSeen: number(), Aside: number(), WindowN: number(), Lead: number(), AheadLead: number(), Sighted: random.Intn(2) == 0, SilentFrom: number(), Cuts: number(),
		}
		if random.Intn(2) == 0 {
			want.Partitions = 1 + random.Int31()>>random.Intn(30)
			if want.Placed = random.Intn(2) == 0; want.Placed {
				want.Fits, want.KeySum = engine.Fits(random.Intn(256)), random.Uint32()
			}
		}
		if random.Intn(2) == 0 {
			want.Episode = &engine.DisorderRow{
				FirstOffset: number(), LastOffset: number(), FirstTime: number(), LastTime: number(), Count: number(),
				Worst: number(), WorstOffset: number(), Step: number(), Told: number(),
			}
		}
		if random.Intn(2) == 0 {
			want.Pulse = &engine.PulseRow{
				Halted: random.Intn(2) == 0, Ended: random.Intn(2) == 0, Frozen: random.Intn(2) == 0, Content: random.Uint64(),
				Same: number(), From: number(), Since: number(), Event: number(), Ticked: engine.NoTime, Changed: engine.NoTime,
			}
			if random.Intn(2) == 0 {
				want.Pulse.Ticked, want.Pulse.Changed = random.Int63(), number()
				want.Pulse.Gaps = []uint16{0, uint16(random.Intn(1 << 16))}
				want.Pulse.Changes = make([]uint16, 1+random.Intn(engine.PaceBins))
			}
		}
		if random.Intn(2) == 0 {
			addFeed(&want, random, number)
		}
		got, err := DecodeSymbolRow(want.Symbol, AppendSymbolRow(nil, &want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
}

// addFeed fills what stands in sections.
func addFeed(r *engine.SymbolRow, random *rand.Rand, number func() int64) {
	r.Unit, r.Log = engine.Unit(random.Intn(7)), random.Uint32()
	for i := range random.Intn(4) {
		s := engine.StreamRow{Venue: strings.Repeat("\xffV", i), Through: number(), LastEvent: number(), LastAhead: number(), Lead: number(), AheadLead: number()}
		if s.Numbers.Known = random.Intn(2) == 0; s.Numbers.Known {
			s.Numbers = engine.NumberRow{
				Known: true, Last: number(), Event: number(), Content: random.Uint64(), Lost: number(), Filled: number(), Repeats: number(), Resets: number(),
			}
			for range random.Intn(3) {
				s.Numbers.Missing = append(s.Numbers.Missing, engine.Span{From: number(), To: number()})
			}
		}
		r.Streams = append(r.Streams, s)
	}
	if random.Intn(2) == 0 {
		r.Run = &engine.RunRow{Anchor: number(), FirstEvent: number(), FirstOffset: number(), Mark: number(), Count: number(), Told: true}
	}
	if random.Intn(2) == 0 {
		r.Backfill = &engine.Episode{Code: engine.Backfill, Symbol: r.Symbol, FirstOffset: number(), Least: number(), Beyond: number()}
	}
	if random.Intn(2) == 0 {
		r.Gap = &engine.Episode{Code: engine.SequenceGap, Symbol: r.Symbol, Worst: number(), Tally: map[string]int64{"4-6": 3}}
	}
	if r.Episode != nil && random.Intn(2) == 0 {
		r.Episode.Venues, r.Episode.Numbered = map[string]int64{"V": number()}, number()
	}
}

func TestDamagedSymbolRows(t *testing.T) {
	row := planned()
	fed := row
	row.Log, row.AheadLead = 0, 0 // without sections it ends with its fields
	whole := AppendSymbolRow(nil, &row)
	addFeed(&fed, rand.New(rand.NewSource(3)), func() int64 { return 7 })
	fed.Unit = engine.UnitMicros
	b := AppendSymbolRow(nil, &fed)
	for n := range b {
		if _, err := DecodeSymbolRow("QXA", b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were read as a row", n, len(b))
		}
	}
	for n := range whole {
		if _, err := DecodeSymbolRow("QXA", whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were read as a row", n, len(whole))
		}
	}
	for want, b := range map[string][]byte{
		`row of symbol "QXA": version: the row ends at byte 0`:       {},
		`row of symbol "QXA": version 2 at byte 0 is not 1`:          append([]byte{2}, whole[1:]...),
		`row of symbol "QXA": 1 bytes left over at byte`:             append(append([]byte(nil), whole...), 0),
		`row of symbol "QXA": last event: the row ends at byte 12`:   whole[:12],
		`row of symbol "QXA": count: the number at byte 26 has more`: append(append([]byte(nil), whole[:26]...), strings.Repeat("\xff", 12)...),
	} {
		if _, err := DecodeSymbolRow("QXA", b); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func FuzzSymbolRow(f *testing.F) {
	row := planned()
	f.Add(AppendSymbolRow(nil, &row))
	f.Add([]byte{1, 0})
	addFeed(&row, rand.New(rand.NewSource(3)), func() int64 { return 7 })
	f.Add(AppendSymbolRow(nil, &row))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeSymbolRow("S", b)
		if err != nil {
			return
		}
		bytesOf := AppendSymbolRow(nil, &r)
		again, err := DecodeSymbolRow("S", bytesOf)
		if err != nil || !bytes.Equal(bytesOf, AppendSymbolRow(nil, &again)) {
			t.Fatalf("%+v, %+v, %v", r, again, err)
		}
	})
}

func TestTableKeys(t *testing.T) {
	for _, symbol := range []string{"QXA", "", "\x00", "p", "a\x00p", "\xff"} {
		topic, got, partition, err := ParseKey(SymbolKey("md.ticks", symbol))
		if err != nil || topic != "md.ticks" || got != symbol || partition {
			t.Errorf("%q: %q %q %v %v", symbol, topic, got, partition, err)
		}
	}
	if topic, _, partition, err := ParseKey(PartitionKey("t")); err != nil || topic != "t" || !partition {
		t.Errorf("partition row: %q %v %v", topic, partition, err)
	}
	for _, bad := range []string{"", "topic", "\x00p", "t\x00", "t\x00x", "t\x00pmore"} {
		if _, _, _, err := ParseKey([]byte(bad)); err == nil {
			t.Errorf("%q was taken for a key", bad)
		}
	}
	if topic, row, err := ParseTopicRowKey(TopicRowKey("t", "s/Q\\x00A")); err != nil || topic != "t" || row != "s/Q\\x00A" {
		t.Errorf("topic row: %q %q %v", topic, row, err)
	}
}

func TestPartitionRows(t *testing.T) {
	want := engine.PartitionRow{
		Topic: "t", Partition: 3, From: 0, Through: 9007199254740993, Watermark: engine.NoTime, FirstTime: t0 + 1,
		Counts: engine.Counts{Records: 5, Ticks: 4, Unreadable: 1}, Window: engine.WindowState{Start: t0, Hot: "<&>"},
		Episodes: []engine.Episode{{Code: engine.UnreadableValue, FirstOffset: 3, Tally: map[string]int64{"syntax": 2}}},
	}
	b, err := EncodePartitionRow(&want)
	if err != nil || b[0] != 1 || b[1] != '{' {
		t.Fatalf("%q, %v", b, err)
	}
	got, err := DecodePartitionRow(b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for _, bad := range []string{"", "\x02{}", "\x01{", "\x01{\"code\":1}x"} {
		if _, err := DecodePartitionRow([]byte(bad)); err == nil {
			t.Errorf("%q was read as a row", bad)
		}
	}
}

func TestTopicRows(t *testing.T) {
	want := engine.TopicRow{Key: "s/QXA", Symbol: &engine.TopicSymbol{Partitions: 4, Places: []engine.SymbolPlace{{Partition: 1, Offset: 7, Count: 10, Key: "QXA"}}}}
	b, err := EncodeTopicRow(&want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeTopicRow("s/QXA", b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	gone, err := EncodeTopicRow(&engine.TopicRow{Key: "w/1"})
	if err != nil || gone != nil {
		t.Errorf("a row that deletes: %q, %v", gone, err)
	}
	if got, err := DecodeTopicRow("w/1", nil); err != nil || got.Key != "w/1" || !got.Deletes() {
		t.Errorf("a row that deletes: %+v, %v", got, err)
	}
}

func TestStats(t *testing.T) {
	want := &engine.PartitionStats{
		Topic: "t", Partition: 1, Through: 5, MaxAge: engine.NoTime, Sightings: []engine.Sighting{{Symbol: "Q", Key: "Q"}},
		Findings: []engine.Finding{{ID: "x", Code: engine.UpstreamDisorder, Severity: engine.Warning, FirstTime: engine.Time(t0 + 1), LastTime: engine.NoTime}},
	}
	b, err := EncodeStats(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeStats(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "null", "{}", `{"topic":"t","partition":-1}`} {
		if _, err := DecodeStats([]byte(bad)); err == nil {
			t.Errorf("%q was read as statistics", bad)
		}
	}
}

// A finding passes from a partition to its topic, into a row and back; a
// nanosecond of its evidence must not be lost on the way.
func TestEvidenceKeepsItsDigits(t *testing.T) {
	const step = 1735831800123456789
	s := engine.PartitionStats{Topic: "t", Findings: []engine.Finding{{Code: engine.UpstreamDisorder, Evidence: map[string]any{"worst_step_ns": int64(step)}}}}
	first, err := EncodeStats(&s)
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeStats(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := EncodeStats(read)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) || !bytes.Contains(second, []byte(`"worst_step_ns":1735831800123456789`)) {
		t.Errorf("%s\nbecame %s", first, second)
	}
	if _, err := DecodeStats(append(first, '{')); err == nil {
		t.Error("bytes after the statistics were accepted")
	}
}
