package main

import (
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/feedtest"
)

// recordedTrades are the trade messages of the recorded spot feed, and their
// number.
func recordedTrades(t *testing.T) (lines string, count int64) {
	t.Helper()
	var out strings.Builder
	trades := feedtest.Trades(t)
	for i := range trades {
		out.WriteString(trades[i].Text)
		out.WriteByte('\n')
	}
	return out.String(), int64(len(trades))
}
