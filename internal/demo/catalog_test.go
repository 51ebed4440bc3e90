package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func TestPickTakesEveryFaultByItsName(t *testing.T) {
	var ids []string
	for _, f := range Faults(&jsonFormat) {
		ids = append(ids, f.ID())
	}
	s, err := Pick(&jsonFormat, ids)
	if err != nil || len(s.Faults) != len(ids) {
		t.Fatalf("%d faults of %d: %v", len(s.Faults), len(ids), err)
	}
	before, skewed := time.Duration(0), time.Duration(0)
	for _, f := range s.Faults {
		if f.From < before+3*time.Second || f.Until > s.Length || f.From >= s.Length {
			t.Errorf("%s from %s until %s of %s", f.Name, f.From, f.Until, s.Length)
		}
		if before = f.From; len(f.Expect) > 0 && f.Expect[0].Code == engine.ClockSkew {
			if skewed > 0 && f.From < skewed+10*time.Second {
				t.Errorf("%s begins %s after the end of another clock fault", f.Name, f.From-skewed)
			}
			skewed = f.Until
		}
	}
	for _, wrong := range [][]string{{"hot symbol"}, {"disorder", "disorder"}, {""}} {
		if _, err := Pick(&jsonFormat, wrong); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", wrong[len(wrong)-1])) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(catalog(&jsonFormat)) {
		t.Errorf("names are not unique: %v", ids)
	}
}
