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
		return compile(&file{Markets: []market{{Name: name, Symbols: []string{"*"}, Exchange: name}}}, "")
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("neither a file nor 24x7 nor one of the markets %s: %w", list(), err)
	}
	f, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c, err := compile(f, filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// compile lays out the markets of a file in a folder.
func compile(f *file, folder string) (*Calendar, error) {
	c := &Calendar{}
	var faults []error
	for i := range f.Markets {
		m := &f.Markets[i]
		s, through, err := m.compile(folder)
		if err = errors.Join(checkPatterns(m.Symbols), err); err != nil {
			faults = append(faults, fmt.Errorf("market %q: %w", m.Name, err))
			continue
		}
		if !through.IsZero() && (c.through.IsZero() || through.Before(c.through)) {
			c.through = through
		}
		c.markets = append(c.markets, compiled{m.Symbols, s})
	}
	for i, e := range f.Ended {
		day, err := parseDate(e.Since)
		if err = errors.Join(checkPatterns(e.Symbols), err); err != nil {
			faults = append(faults, fmt.Errorf("ended, entry %d: %w", i+1, err))
			continue
		}
		c.ended = append(c.ended, cut{e.Symbols, interval{day.at(0, time.UTC), always.open[0].to}})
	}
	for i := range f.Halts {
		h := &f.Halts[i]
		span, err := h.interval()
		if err = errors.Join(checkPatterns(h.Symbols), err); err != nil {
			faults = append(faults, fmt.Errorf("halts, entry %d: %w", i+1, err))
			continue
		}
		c.halts = append(c.halts, cut{h.Symbols, span})
	}
	return c, errors.Join(faults...)
}

// compile lays out a market's hours and says through which day its holidays
// are known, zero: nothing is said.
func (m *market) compile(folder string) (*schedule, time.Time, error) {
	if m.Exchange == AlwaysOpen {
		return always, time.Time{}, nil
	}
	w, err := m.week()
	if err != nil {
		return nil, time.Time{}, err
	}
	through := m.Through
	if m.Exchange != "" && through == "" {
		built, _ := builtIn(m.Exchange)
		through = built.Through
	}
	var known time.Time
	if through != "" {
		day, err := parseDate(through)
		if err != nil {
			return nil, known, fmt.Errorf("through: %w", err)
		}
		known = time.Date(day.year, day.month, day.day, 0, 0, 0, 0, time.UTC)
	}
	if m.Schedule == "" {
		open := w.intervals(func(date) bool { return false })
		if len(open) == 0 {
			return nil, known, errors.New("hours: the market is never open; give hours, an exchange or a schedule")
		}
		return newSchedule(open), known, nil
	}
	published, err := readSchedule(filepath.Join(folder, m.Schedule))
	if err != nil {
		return nil, known, fmt.Errorf("schedule: %w", err)
	}
	rest := w.intervals(published.covers)
	return newSchedule(append(rest, published.open...)), published.last, nil
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
