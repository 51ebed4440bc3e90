package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// One record of the year 2100, first, in the middle or last, with record times
// or without, makes no symbol silent, none late, and no window of that year.
func TestOneRecordOfAnotherCentury(t *testing.T) {
	const century = int64(75*365*86400) * 1e9
	for _, where := range []int{0, 1, 90, 179, 180} {
		for _, form := range []string{"kcat", "record time alone", "bare"} {
			var input strings.Builder
			next := [3]int{}
			write := func(symbol int, at, event int64) {
				s, p := fmt.Sprintf("S%d", symbol), symbol
				if form == "bare" {
					fmt.Fprintf(&input, `{"symbol":%q,"ts":%d}`+"\n", s, event)
				} else {
					fmt.Fprintf(&input, `{"topic":"ticks","partition":%d,"offset":%d,"tstype":"create","ts":%d,"key":"%s","payload":"{\"symbol\":\"%s\",\"ts\":%d}"}`+"\n",
						p, next[p], at/1e6, s, s, event)
				}
				next[p]++
			}
			for i := range 181 {
				at := t0 + int64(i)*1e9
				if i == where {
					event := at + century
					if form == "record time alone" {
						event = at
					}
					write(1, at+century, event)
				}
				if i < 180 {
					write(i%3, at, at)
				}
			}
			reports, err := replayAll(t, context.Background(), input.String(), func(o *Options) {
				o.Limits.MaxSymbolSilence = 10 * time.Second
			})
			if err != nil {
				t.Fatal(err)
			}
			final := reports[len(reports)-1]
			if n := final.Counts; n.Ticks != 181 || n.Disorder != 0 || n.Late != 0 {
				t.Errorf("%s, wrong at %d: %+v", form, where, n)
			}
			for _, r := range reports {
				if r.WindowEnd != engine.Time(engine.NoTime) && r.WindowEnd > engine.Time(t0+3600e9) {
					t.Errorf("%s, wrong at %d: a window ends %v", form, where, r.WindowEnd)
				}
				for _, f := range r.Findings {
					if f.Code == engine.StaleTick {
						t.Errorf("%s, wrong at %d: %s", form, where, f.Cause)
					}
				}
			}
		}
	}
}
