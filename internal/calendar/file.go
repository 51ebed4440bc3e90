package calendar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"
)

// file is a calendar file as it is written.
type file struct {
	Markets []market `yaml:"markets"`
	Ended   []ended  `yaml:"ended"`
	Halts   []halt   `yaml:"halts"`
}

// market is the hours of the symbols that its patterns match.
type market struct {
	Name     string            `yaml:"name"`
	Symbols  []string          `yaml:"symbols"`
	Exchange string            `yaml:"exchange"` // a market that is built in: its zone, hours and days
	Zone     string            `yaml:"zone"`     // IANA name
	Hours    map[string]string `yaml:"hours"`    // by days of the week
	Holidays []string          `yaml:"holidays"`
	Special  map[string]string `yaml:"special"`  // hours of single days
	Schedule string            `yaml:"schedule"` // CSV of sessions, beside the calendar file
	Through  string            `yaml:"through"`  // last day whose holidays are known
}

// ended are symbols that trade no more from a day on.
type ended struct {
	Symbols []string `yaml:"symbols"`
	Since   string   `yaml:"since"`
}

// halt is a time in which symbols do not trade although their market is open.
type halt struct {
	Symbols []string `yaml:"symbols"`
	From    string   `yaml:"from"` // RFC 3339
	To      string   `yaml:"to"`   // empty: until further notice
	Reason  string   `yaml:"reason"`
}

// decode reads one YAML document; a field that is not known is an error.
func decode(content []byte) (*file, error) {
	f := new(file)
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(f.Markets)+len(f.Ended)+len(f.Halts) == 0 {
		return nil, errors.New("no markets, ended or halts")
	}
	return f, nil
}

// interval is the halt's time.
func (h *halt) interval() (interval, error) {
	from, err := time.Parse(time.RFC3339Nano, h.From)
	if err != nil {
		return interval{}, fmt.Errorf("from: %q is not a time such as 2025-01-06T15:00:00Z", h.From)
	}
	if h.To == "" {
		return interval{from.UnixNano(), always.open[0].to}, nil
	}
	to, err := time.Parse(time.RFC3339Nano, h.To)
	if err != nil {
		return interval{}, fmt.Errorf("to: %q is not a time such as 2025-01-06T15:20:00Z", h.To)
	}
	if !to.After(from) {
		return interval{}, errors.New("to is not after from")
	}
	return interval{from.UnixNano(), to.UnixNano()}, nil
}

// week reads a market's hours; into one that is built in it puts what differs.
func (m *market) week() (*week, error) {
	w := &week{zone: time.UTC, special: map[date][]session{}}
	var faults []error
	fault := func(field string, err error) {
		faults = append(faults, fmt.Errorf("%s: %w", field, err))
	}
	if m.Exchange != "" {
		built, err := builtIn(m.Exchange)
		if err != nil {
			return nil, err
		}
		if w, err = built.week(); err != nil {
			return nil, err
		}
	}
	if m.Zone != "" {
		zone, err := time.LoadLocation(m.Zone)
		if err != nil {
			fault("zone", err)
		} else {
			w.zone = zone
		}
	}
	for days, text := range m.Hours {
		on, err := parseDays(days)
		if err != nil {
			fault("hours", err)
		}
		sessions, err := parseSessions(text)
		if err != nil {
			fault("hours", err)
		}
		for _, day := range on {
			w.regular[day] = sessions
		}
	}
	for _, text := range m.Holidays {
		day, err := parseDate(text)
		if err != nil {
			fault("holidays", err)
			continue
		}
		w.special[day] = nil
	}
	for text, hours := range m.Special {
		day, err := parseDate(text)
		if err != nil {
			fault("special", err)
			continue
		}
		sessions, err := parseSessions(hours)
		if err != nil {
			fault("special", err)
		}
		w.special[day] = sessions
	}
	return w, errors.Join(faults...)
}
