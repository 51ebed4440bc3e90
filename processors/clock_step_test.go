package processors

import (
	"testing"
	"time"
)

func TestAStepOfTheWallClockIsNoticed(t *testing.T) {
	var w clockWatch
	from := time.Unix(1_735_831_800, 0)
	wall, mono := from, time.Duration(0)
	for _, c := range []struct {
		about           string
		wall, monotonic time.Duration // since the call before
		want            time.Duration
	}{
		{"the first", 0, 0, 0},
		{"a second", time.Second, time.Second, 0},
		{"slewed", time.Second + 500*time.Microsecond, time.Second, 0},
		{"set ahead", time.Hour + time.Second, time.Second, time.Hour},
		{"a second after it", time.Second, time.Second, 0},
		{"set back", -36 * time.Second, time.Second, -37 * time.Second},
		{"a late call", 20 * time.Second, 20 * time.Second, 0},
	} {
		wall, mono = wall.Add(c.wall), mono+c.monotonic
		if got := w.moved(wall, mono); got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
	var real clockWatch
	real.step(time.Now())
	if got := real.step(time.Now()); got != 0 {
		t.Errorf("a clock that nobody sets has stepped by %s", got)
	}
}
