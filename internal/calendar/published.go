package calendar

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// published is a schedule as an exchange's data has it: sessions day by day.
// Between its first and its last day there are no others.
type published struct {
	open        []interval
	first, last time.Time // days
}

func (p *published) covers(d date) bool {
	t := time.Date(d.year, d.month, d.day, 0, 0, 0, 0, time.UTC)
	return !t.Before(p.first) && !t.After(p.last)
}

// readSchedule reads the CSV that the schedule of exchange_calendars, a Python
// package, exports: a row a session with its day, open and close, and the
// begin and end of a break where there is one, as times with a zone.
func readSchedule(path string) (*published, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := parseSchedule(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// faultsMost bounds the faults of one schedule that are told.
const faultsMost = 20

func parseSchedule(in io.Reader) (*published, error) {
	r := csv.NewReader(in)
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("no header: %w", err)
	}
	column := func(name string) int { return slices.Index(head, name) }
	opens, closes, breaks, resumes := column("open"), column("close"), column("break_start"), column("break_end")
	if opens < 1 || closes < 1 {
		return nil, errors.New("no columns open and close behind the day")
	}
	p := &published{}
	var wrong []error
	for len(wrong) < faultsMost {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := r.FieldPos(0)
		if err == nil {
			err = p.add(row, opens, closes, breaks, resumes)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %w", line, err))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if len(p.open) == 0 {
		return nil, errors.New("no session")
	}
	return p, nil
}

func (p *published) add(row []string, opens, closes, breaks, resumes int) error {
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(row[0])[:min(10, len(strings.TrimSpace(row[0])))])
	if err != nil {
		return fmt.Errorf("%q is not a day", row[0])
	}
	from, err := instant(row[opens])
	if err != nil {
		return err
	}
	to, err := instant(row[closes])
	if err != nil {
		return err
	}
	if to <= from {
		return errors.New("close is not after open")
	}
	if p.first.IsZero() || day.Before(p.first) {
		p.first = day
	}
	if day.After(p.last) {
		p.last = day
	}
	if breaks > 0 && resumes > 0 && row[breaks] != "" && row[resumes] != "" {
		rest, err := instant(row[breaks])
		if err != nil {
			return err
		}
		again, err := instant(row[resumes])
		if err != nil {
			return err
		}
		p.open = append(p.open, interval{from, rest})
		from = again
	}
	p.open = append(p.open, interval{from, to})
	return nil
}

// instant reads "2025-01-06 14:30:00+00:00", or the same with a T.
func instant(text string) (int64, error) {
	t, err := time.Parse(time.RFC3339, strings.Replace(strings.TrimSpace(text), " ", "T", 1))
	if err != nil {
		return 0, fmt.Errorf("%q is not a time with a zone", text)
	}
	return t.UnixNano(), nil
}
