package codecs

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// drawVenues, drawSighting and drawTopicSymbol take any values that there may
// be.
func drawVenues(r *rand.Rand, any64 func() int64) (venues []engine.VenueTimes) {
	for range max(0, r.Intn(5)-2) {
		venues = append(venues, engine.VenueTimes{Venue: drawText(r), FirstEvent: any64(), Offset: any64(), Time: any64(), LastEvent: any64()})
	}
	return venues
}

func drawText(r *rand.Rand) string { return []string{"", "QXA", "É", "Q\\xff"}[r.Intn(4)] }

func drawSighting(r *rand.Rand, any64 func() int64) engine.Sighting {
	return engine.Sighting{
		Symbol: drawText(r), Offset: any64(), Count: any64(), Key: drawText(r), Time: any64(), Fits: engine.Fits(r.Intn(256)),
		Spelled: r.Intn(2) == 0, Before: r.Intn(2) == 0, Closing: r.Intn(2) == 0, Keyless: r.Intn(2) == 0,
		FirstEvent: any64(), LastEvent: any64(), Seen: any64(), Venues: drawVenues(r, any64),
	}
}

func drawTopicSymbol(r *rand.Rand, any64 func() int64) *engine.TopicSymbol {
	s := &engine.TopicSymbol{Partitions: r.Int31(), Moved: r.Intn(2) == 0}
	for range r.Intn(4) {
		s.Places = append(s.Places, engine.SymbolPlace{
			Partition: r.Int31(), Offset: any64(), Count: any64(), Key: drawText(r), Old: r.Intn(2) == 0, Fits: engine.Fits(r.Intn(256)), Spelled: r.Intn(2) == 0,
			Since: any64(), FirstEvent: any64(), LastEvent: any64(), Seen: any64(), Venues: drawVenues(r, any64),
		})
	}
	return s
}

func TestSightingsAndSymbolsOfTopicsComeBack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	any64 := func() int64 { return []int64{0, 1, -1, t0, engine.NoTime, 1<<63 - 1, int64(r.Uint64())}[r.Intn(7)] }
	for range 500 {
		want := &engine.PartitionStats{Topic: "t", Through: 7}
		for range r.Intn(4) {
			want.Sightings = append(want.Sightings, drawSighting(r, any64))
		}
		b, err := EncodeStats(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeStats(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		symbol := "s/" + drawText(r)
		row := engine.TopicRow{Key: symbol, Symbol: drawTopicSymbol(r, any64)}
		if b, err = EncodeTopicRow(&row); err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeTopicRow(symbol, b); err != nil || !reflect.DeepEqual(got, row) {
			t.Fatalf("got %+v, %v\nwant %+v", got.Symbol, err, row.Symbol)
		}
		for n := 1; n < len(b); n++ {
			if _, err := DecodeTopicRow(symbol, b[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes were read as a row", n, len(b))
			}
		}
	}
}

// What was written before these were binary is read.
func TestSightingsAndSymbolsOfTopicsThatAreJSON(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	stats := &engine.PartitionStats{Topic: "t", Sightings: []engine.Sighting{drawSighting(r, r.Int63)}}
	b, err := json.Marshal(stats)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeStats(b); err != nil || !reflect.DeepEqual(got, stats) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, stats)
	}
	row := engine.TopicRow{Key: "s/QXA", Symbol: &engine.TopicSymbol{Partitions: 3, Places: []engine.SymbolPlace{{Partition: 1, Key: "QXA", Since: t0}}}}
	if b, err = json.Marshal(row); err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeTopicRow("s/QXA", append([]byte{jsonRowVersion}, b...)); err != nil || !reflect.DeepEqual(got, row) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, row)
	}
}

// The bytes are those that earlier versions have written.
func TestLayoutOfSightingsAndSymbolsOfTopics(t *testing.T) {
	venues := []engine.VenueTimes{{Venue: "X", Time: 5, Offset: 6, FirstEvent: 7, LastEvent: engine.NoTime}}
	g := engine.Sighting{
		Symbol: "QX", Key: "k", Offset: 1, Count: 2, Time: 256, Fits: 129, Spelled: true, Closing: true,
		FirstEvent: 255, LastEvent: 257, Seen: engine.NoTime, Venues: venues,
	}
	const venue = "01" + "0158" + "0a0c04" + "f6ffffffffffffffff01"
	if got, want := hex.EncodeToString(appendSighting(nil, &g)), "35"+"025158"+"016b"+"0000000000000100"+"02040102"+"80fcffffffffffffff01"+"81"+venue; got != want {
		t.Errorf("sighting\n%s\n%s", got, want)
	}
	s := &engine.TopicSymbol{Partitions: 300, Moved: true, Places: []engine.SymbolPlace{
		{Partition: 3, Offset: 1, Count: 2, Key: "QX", Old: true, Fits: 2, Since: 256, FirstEvent: 255, LastEvent: 257, Seen: 256},
		{Partition: 4, Key: "k", Spelled: true, Venues: venues},
	}}
	want := "0201" + "ac02" + "02" + "02" + "03" + "0204" + "0000000000000100" + "010200" + "02" + "31" + "04" + "0000" + "016b" + "0000000000000000" + "000000" + "00" + venue
	if got := hex.EncodeToString(appendTopicSymbol(nil, "QX", s)); got != want {
		t.Errorf("symbol of a topic\n%s\n%s", got, want)
	}
}

func TestDamagedSightingsAndSymbolsOfTopics(t *testing.T) {
	b, err := EncodeStats(&engine.PartitionStats{Topic: "t", Sightings: []engine.Sighting{{Symbol: "QXA", Key: "QXA", Time: t0, Seen: t0}}})
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.LastIndex(b, []byte("}")) + 1
	for n := range b {
		if _, err := DecodeStats(b[:n]); err == nil && n != first {
			t.Errorf("the first %d of %d bytes were read as statistics", n, len(b))
		}
	}
	for want, b := range map[string][]byte{
		`row "s/QXA" of a topic: partition count: 4294967295 is none`:       {2, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
		`row "s/QXA" of a topic: places: 9 of them do not fit into the row`: {2, 0, 4, 9, 0},
		`row "s/QXA" of a topic: 1 bytes left over at byte 4`:               {2, 0, 4, 0, 0},
		`row "s/QXA" of a topic: partition: no number at byte 5`:            {2, 0, 4, 1, 0},
		`row "s/QXA" of a topic: version 3 is not 1`:                        {3, 0, 4, 0},
	} {
		if _, err := DecodeTopicRow("s/QXA", b); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func FuzzTopicSymbol(f *testing.F) {
	r := rand.New(rand.NewSource(3))
	f.Add([]byte(nil))
	for range 8 {
		f.Add(appendTopicSymbol(nil, "QXA", drawTopicSymbol(r, r.Int63)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		row, err := DecodeTopicRow("s/QXA", b)
		if err != nil || len(b) == 0 || b[0] != symbolsVersion { // none is a row that is deleted; JSON has forms that are not written
			return
		}
		again, err := EncodeTopicRow(&row)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeTopicRow("s/QXA", again); err != nil || !reflect.DeepEqual(got, row) {
			t.Fatalf("%+v, %+v, %v", row, got, err)
		}
	})
}
