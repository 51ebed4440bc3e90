package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// session is a part of a day, in minutes after local midnight. One that ends
// at or before its begin ends on the day after.
type session struct{ from, to int }

// parseSessions reads "09:30-16:00" or several with commas, and "closed".
func parseSessions(text string) ([]session, error) {
	text = strings.TrimSpace(text)
	if text == "closed" {
		return nil, nil
	}
	var all []session
	for part := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(strings.TrimSpace(part), "-")
		if !ok {
			return nil, fmt.Errorf("%q is not HH:MM-HH:MM, nor several with commas, nor closed", text)
		}
		s := session{}
		var err error
		if s.from, err = parseMinute(from); err != nil {
			return nil, err
		}
		if s.to, err = parseMinute(to); err != nil {
			return nil, err
		}
		if s.to <= s.from {
			s.to += 24 * 60
		}
		if n := len(all); n > 0 && s.from < all[n-1].to {
			return nil, fmt.Errorf("%q: sessions overlap or do not ascend", text)
		}
		all = append(all, s)
	}
	return all, nil
}

// parseMinute reads HH:MM, 24:00 included.
func parseMinute(text string) (int, error) {
	hour, minute, ok := strings.Cut(strings.TrimSpace(text), ":")
	h, err := strconv.Atoi(hour)
	m, err2 := strconv.Atoi(minute)
	if !ok || err != nil || err2 != nil || len(hour) > 2 || len(minute) != 2 || h < 0 || m < 0 || m > 59 || h*60+m > 24*60 {
		return 0, fmt.Errorf("%q is not a time of day, HH:MM", text)
	}
	return h*60 + m, nil
}

var weekdays = map[string]time.Weekday{
	"sun": time.Sunday, "mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday,
	"thu": time.Thursday, "fri": time.Friday, "sat": time.Saturday,
}

// parseDays reads "mon", "mon-fri" or several with commas.
func parseDays(text string) ([]time.Weekday, error) {
	var days []time.Weekday
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, ok := weekdays[first]
		to := from
		if isRange {
			var known bool
			to, known = weekdays[last]
			ok = ok && known
		}
		if !ok {
			return nil, fmt.Errorf("%q is no day of the week; write mon, mon-fri or mon,wed", text)
		}
		for day := from; ; day = (day + 1) % 7 {
			days = append(days, day)
			if day == to {
				break
			}
		}
	}
	return days, nil
}

// date is a day without a zone.
type date struct {
	year  int
	month time.Month
	day   int
}

func parseDate(text string) (date, error) {
	t, err := time.Parse(time.DateOnly, strings.TrimSpace(text))
	if err != nil {
		return date{}, fmt.Errorf("%q is not a date, YYYY-MM-DD", text)
	}
	return dateOf(t), nil
}

func dateOf(t time.Time) date {
	y, m, d := t.Date()
	return date{y, m, d}
}

// at is the instant of a minute of the day. The day counts in the zone's own
// hours, so on a day on which clocks are moved the sessions are where the
// clocks say.
func (d date) at(minute int, zone *time.Location) int64 {
	return time.Date(d.year, d.month, d.day, 0, minute, 0, 0, zone).UnixNano()
}

// week is the regular hours of a market with the days that differ.
type week struct {
	zone    *time.Location
	regular [7][]session
	special map[date][]session
}

// The days for which open time is laid out. Before and after, markets count
// as closed, but no time that is judged lies there.
const (
	firstYear = 1970
	lastYear  = 2100
)

// intervals lays the hours out, less the days that a published schedule has.
func (w *week) intervals(skip func(date) bool) []interval {
	var open []interval
	for t := time.Date(firstYear, 1, 1, 12, 0, 0, 0, time.UTC); t.Year() < lastYear; t = t.AddDate(0, 0, 1) {
		day := dateOf(t)
		if skip(day) {
			continue
		}
		sessions, differs := w.special[day]
		if !differs {
			sessions = w.regular[t.Weekday()]
		}
		for _, s := range sessions {
			open = append(open, interval{day.at(s.from, w.zone), day.at(s.to, w.zone)})
		}
	}
	return open
}
