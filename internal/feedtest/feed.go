// Package feedtest opens the recorded market-data feed that tests read. The
// feed is not part of the module: AUDITSTREAM_TEST_DATA names its folder,
// otherwise it is shared/data beside the module. Without it a test is skipped,
// or fails when kafkatest's AUDITSTREAM_TEST_KAFKA_REQUIRED is 1.
//
// Only tests import it.
package feedtest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// Message is one message of the feed.
type Message struct {
	Received int64  // nanoseconds
	Text     string // as it was received, JSON
}

// Trade is a message about a trade.
type Trade struct {
	Message
	Symbol string
	Time   int64 // of the trade, milliseconds
}

const (
	spot    = "binance-spot-ethusdt-20240808.ndjson.gz"
	futures = "binance-cm-ethusd_perp-20240808.ndjson.gz"
)

// Messages are all messages of the recorded spot feed, in the order in which
// they were received.
func Messages(t testing.TB) []Message {
	t.Helper()
	return messages(t, spot)
}

// Futures are all messages of the recorded futures feed, in the order in which
// they were received.
func Futures(t testing.TB) []Message {
	t.Helper()
	return messages(t, futures)
}

func messages(t testing.TB, name string) []Message {
	t.Helper()
	file, err := os.Open(filepath.Join(folder(t), name))
	if err != nil {
		kafkatest.SkipOrFail(t, "no recorded feed, set AUDITSTREAM_TEST_DATA to its folder: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var all []Message
	for lines.Scan() {
		at, text, _ := strings.Cut(lines.Text(), " ")
		received, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			t.Fatalf("line %d of %s: %v", len(all)+1, name, err)
		}
		all = append(all, Message{received, text})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Trades are the trades of the recorded spot feed.
func Trades(t testing.TB) []Trade {
	t.Helper()
	var all []Trade
	for _, message := range Messages(t) {
		var m struct {
			Data struct {
				Event  string `json:"e"`
				Symbol string `json:"s"`
				At     int64  `json:"T"`
				// encoding/json matches names in any case: without fields of
				// their own "t" and "E" would be taken for "T" and "e".
				ID    int64 `json:"t"`
				Clock int64 `json:"E"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(message.Text), &m); err != nil {
			t.Fatal(err)
		}
		if m.Data.Event == "trade" {
			all = append(all, Trade{message, m.Data.Symbol, m.Data.At})
		}
	}
	return all
}

// folder is where the feed lies. Tests run in the folder of their package.
func folder(t testing.TB) string {
	t.Helper()
	if named := os.Getenv("AUDITSTREAM_TEST_DATA"); named != "" {
		return named
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "..", "shared", "data")
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test's folder")
		}
		root = filepath.Dir(root)
	}
}
