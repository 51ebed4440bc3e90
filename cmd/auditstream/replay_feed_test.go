package main

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordedTrades are the trade messages of the recorded spot feed, and their
// number. The test is skipped where the feed is not.
func recordedTrades(t *testing.T) (lines string, count int64) {
	t.Helper()
	folder := os.Getenv("AUDITSTREAM_TEST_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	file, err := os.Open(filepath.Join(folder, "binance-spot-ethusdt-20240808.ndjson.gz"))
	if err != nil {
		t.Skipf("no recorded feed, set AUDITSTREAM_TEST_DATA to its folder: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := bufio.NewScanner(unzipped)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if _, message, _ := strings.Cut(in.Text(), " "); strings.Contains(message, `"e":"trade"`) {
			out.WriteString(message)
			out.WriteByte('\n')
			count++
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String(), count
}
