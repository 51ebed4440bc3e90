package faults

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// envSymbols is how many symbols the table of TestColdRecovery holds.
const envSymbols = "AUDITSTREAM_TEST_RECOVERY_SYMBOLS"

// A large table, ten rows a symbol, is read by two instances that have nothing:
// once, in bounded memory, visibly, and without a finding. What it takes is
// told beside a raw read of the same table.
func TestColdRecovery(t *testing.T) {
	const partitions, updates = 4, 10
	symbols := 50_000
	if text := os.Getenv(envSymbols); text != "" {
		var err error
		if symbols, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", envSymbols, err)
		}
	}
	a := newAudit(t, one.get(t), partitions)
	f := a.feed(5).rounds(10)
	a.finish(a.file("one"))
	a.fillTable(symbols, updates)

	began := time.Now()
	raw := len(a.k.ReadAll(t, a.names.Table, true))
	rawTook := time.Since(began)
	began = time.Now()
	first, second := a.start(a.file("one")), a.start(a.file("two"))
	a.members(2)
	first.awaitReady()
	second.awaitReady()
	took := time.Since(began)
	t.Logf("%d rows of %d symbols: ready after %s, a raw read took %s (%.1f times); resident %d and %d MiB",
		raw, symbols, took.Round(10*time.Millisecond), rawTook.Round(10*time.Millisecond), took.Seconds()/rawTook.Seconds(),
		first.memory()>>20, second.memory()>>20)
	// One kilobyte a symbol that is held, and what fetches take.
	for _, p := range []*program{first, second} {
		if most := int64(600<<20) + int64(symbols)*1024; p.memory() > most {
			t.Errorf("%d MiB resident, at most %d", p.memory()>>20, most>>20)
		}
		// The group of two: a session each when it came, one when the other did.
		if n := len(p.lines(`"message":"session set up"`)); n > 6 {
			t.Errorf("%d sessions of both groups", n)
		}
	}
	first.stop()
	second.stop()
	a.finish(a.file("three"))
	a.check(f.expected(), false)
}

// fillTable writes rows of symbols that have not ticked since, in rounds.
func (a *audit) fillTable(symbols, updates int) {
	a.t.Helper()
	cl := a.k.Client(a.t, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(200_000), kgo.ProducerLinger(5*time.Millisecond))
	var failed error
	for update := range updates {
		for s := range symbols {
			row := engine.SymbolRow{
				Symbol: fmt.Sprintf("X%07d", s), Through: 0, Count: int64(update + 1), First: 0, SilentFrom: -1,
				LastEvent: time.Now().UnixNano(), LastAhead: engine.NoTime, LastSeen: engine.NoTime, Sighted: true,
			}
			record := &kgo.Record{
				Topic: a.names.Table, Partition: int32(s % a.partitions),
				Key: codecs.SymbolKey(a.topic, row.Symbol), Value: codecs.AppendSymbolRow(nil, &row),
			}
			cl.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
				if err != nil {
					failed = err // promises are called one after another
				}
			})
		}
	}
	if err := cl.Flush(context.Background()); err != nil || failed != nil {
		a.t.Fatalf("fill the table: %v, %v", err, failed)
	}
	kafkatest.Eventually(a.t, "the table", func() bool {
		ends, err := a.adm.ListEndOffsets(context.Background(), a.names.Table)
		return err == nil && ends.Error() == nil
	})
}
