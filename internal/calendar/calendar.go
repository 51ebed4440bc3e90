package calendar

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Calendar is when the markets of all symbols are open. It implements
// [engine.Calendar].
type Calendar struct {
	markets []compiled
	ended   []cut
	halts   []cut
	through time.Time
	joined  sync.Map // by market and cuts: schedules that several symbols share
}

var _ engine.Calendar = (*Calendar)(nil)

// compiled is a market whose hours are laid out.
type compiled struct {
	symbols []string
	*schedule
}

// cut is a time that is taken from the hours of some symbols.
type cut struct {
	symbols []string
	interval
}

// AlwaysOpen names the calendar of markets that never close.
const AlwaysOpen = "24x7"

// Load reads a calendar: the name of a market that is built in, such as XNYS,
// "24x7", or the path of a calendar file. All that is wrong with a file is told
// at once.
func Load(name string) (*Calendar, error) {
	if name == AlwaysOpen {
		return &Calendar{}, nil
	}
	if isBuiltIn(name) {
		c, wrong := &Calendar{}, &faults{}
		c.compile(&file{Markets: []market{{Name: name, Symbols: []string{"*"}, Exchange: name}}}, "", wrong)
		return c, wrong.err()
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("neither a file nor 24x7 nor one of the markets %s: %w", list(), err)
	}
	f, wrong, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Calendar{}
	c.compile(f, filepath.Dir(name), wrong)
	switch err := wrong.err(); {
	case len(wrong.all) == 1:
		return nil, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %d faults\n%w", name, len(wrong.all), err)
	}
	return c, nil
}

// compile lays out the markets of a file in a folder.
func (c *Calendar) compile(f *file, folder string, wrong *faults) {
	for i := range f.Markets {
		m := &f.Markets[i]
		fault := func(err error, field ...step) {
			what := fmt.Sprintf("market %q", m.Name)
			if len(field) > 0 {
				what += fmt.Sprintf(": %s", field[0])
			}
			wrong.add(err, what, append([]step{"markets", i}, field...)...)
		}
		fault(checkPatterns(m.Symbols), "symbols")
		s, through := m.compile(folder, fault)
		if !through.IsZero() && (c.through.IsZero() || through.Before(c.through)) {
			c.through = through
		}
		c.markets = append(c.markets, compiled{m.Symbols, s})
	}
	for i, e := range f.Ended {
		what := fmt.Sprintf("ended, entry %d", i+1)
		wrong.add(checkPatterns(e.Symbols), what+": symbols", "ended", i, "symbols")
		day, err := parseDate(e.Since)
		wrong.add(err, what+": since", "ended", i, "since")
		c.ended = append(c.ended, cut{e.Symbols, interval{day.at(0, time.UTC), always.open[0].to}})
	}
	for i := range f.Halts {
		h, what := &f.Halts[i], fmt.Sprintf("halts, entry %d", i+1)
		wrong.add(checkPatterns(h.Symbols), what+": symbols", "halts", i, "symbols")
		span := h.interval(func(err error, field string) { wrong.add(err, what+": "+field, "halts", i, field) })
		c.halts = append(c.halts, cut{h.Symbols, span})
	}
}

// compile lays out a market's hours and says through which day its holidays
// are known, zero: nothing is said. With a fault the hours mean nothing.
func (m *market) compile(folder string, fault func(err error, field ...step)) (*schedule, time.Time) {
	var known time.Time
	if m.Exchange == AlwaysOpen {
		return always, known
	}
	bad := false
	w := m.week(func(err error, field ...step) {
		bad = bad || err != nil
		fault(err, field...)
	})
	through := m.Through
	if built, err := builtIn(m.Exchange); err == nil && through == "" {
		through = built.Through
	}
	if through != "" {
		day, err := parseDate(through)
		fault(err, "through")
		known = time.Date(day.year, day.month, day.day, 0, 0, 0, 0, time.UTC)
	}
	if m.Schedule != "" {
		published, err := readSchedule(filepath.Join(folder, m.Schedule))
		if err != nil {
			fault(err, "schedule")
			return always, known
		}
		rest := w.intervals(published.covers)
		return newSchedule(append(rest, published.open...)), published.last
	}
	if bad {
		return always, known
	}
	open := w.intervals(func(date) bool { return false })
	if len(open) == 0 {
		fault(errors.New("the market is never open; give hours, an exchange or a schedule"), "hours")
	}
	return newSchedule(open), known
}

// Through is the last day whose holidays are known in all markets, zero when
// no market says so. After it regular hours are taken to hold.
func (c *Calendar) Through() time.Time { return c.through }

// Hours are the open hours of a symbol: those of the first market whose
// patterns match, or always, less the symbol's halts and what follows its end.
func (c *Calendar) Hours(symbol string) engine.Hours {
	base, key := always, "-"
	for i := range c.markets {
		if match(c.markets[i].symbols, symbol) {
			base, key = c.markets[i].schedule, fmt.Sprint(i)
			break
		}
	}
	var closed []interval
	for _, cuts := range [][]cut{c.ended, c.halts} {
		for i := range cuts {
			hit := match(cuts[i].symbols, symbol)
			key += map[bool]string{true: "+", false: "-"}[hit]
			if hit {
				closed = append(closed, cuts[i].interval)
			}
		}
	}
	if len(closed) == 0 {
		return base
	}
	if s, ok := c.joined.Load(key); ok {
		return s.(*schedule)
	}
	s, _ := c.joined.LoadOrStore(key, base.without(closed))
	return s.(*schedule)
}
