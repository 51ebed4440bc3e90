package feedtest

import (
	"regexp"
	"strconv"
	"testing"
)

var (
	messageKind = regexp.MustCompile(`"e":"(\w+)"`)
	messageTime = regexp.MustCompile(`"T":(\d+)`)
)

// StepsBack counts the messages whose time is before that of one in front of
// them, by stream (each kind of message is one) or over all of them merged.
// It knows nothing of the audit: it compares what stands in the text.
func StepsBack(t testing.TB, messages []Message, merged bool) int64 {
	t.Helper()
	back, last := int64(0), map[string]int64{}
	for _, m := range messages {
		kind, at := messageKind.FindStringSubmatch(m.Text), messageTime.FindStringSubmatch(m.Text)
		if kind == nil || at == nil {
			continue
		}
		stream := kind[1]
		if merged {
			stream = ""
		}
		now, err := strconv.ParseInt(at[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if now < last[stream] {
			back++
		}
		last[stream] = max(last[stream], now)
	}
	return back
}
