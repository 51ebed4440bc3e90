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

// decode reads one YAML document. What does not fit is among the faults, and
// the rest is read nevertheless; only a text that is no YAML is an error.
func decode(content []byte) (*file, *faults, error) {
	f, wrong := new(file), &faults{document: new(yaml.Node)}
	if err := yaml.Unmarshal(content, wrong.document); err != nil {
		return nil, nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	var misfits *yaml.TypeError
	switch err := d.Decode(f); {
	case errors.As(err, &misfits):
		wrong.typed(misfits.Errors)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, nil, err
	}
	if len(f.Markets)+len(f.Ended)+len(f.Halts)+len(wrong.all) == 0 {
		return nil, nil, errors.New("no markets, ended or halts")
	}
	return f, wrong, nil
}

// interval is the halt's time. fault is told what is wrong with which field.
func (h *halt) interval(fault func(err error, field string)) interval {
	from, err := time.Parse(time.RFC3339Nano, h.From)
	if err != nil {
		fault(fmt.Errorf("%q is not a time such as 2025-01-06T15:00:00Z", h.From), "from")
	}
	if h.To == "" {
		return interval{from.UnixNano(), always.open[0].to}
	}
	to, err2 := time.Parse(time.RFC3339Nano, h.To)
	switch {
	case err2 != nil:
		fault(fmt.Errorf("%q is not a time such as 2025-01-06T15:20:00Z", h.To), "to")
	case err == nil && !to.After(from):
		fault(errors.New("it is not after from"), "to")
	}
	return interval{from.UnixNano(), to.UnixNano()}
}

// week reads a market's hours; into one that is built in it puts what differs.
// fault is told what is wrong with which field.
func (m *market) week(fault func(err error, field ...step)) *week {
	w := &week{zone: time.UTC, special: map[date][]session{}}
	if m.Exchange != "" {
		built, err := builtIn(m.Exchange)
		if err != nil {
			fault(err, "exchange")
			return w
		}
		w = built.week(fault)
	}
	if m.Zone != "" {
		zone, err := time.LoadLocation(m.Zone)
		if err == nil {
			w.zone = zone
		}
		fault(err, "zone")
	}
	for days, text := range m.Hours {
		on, err := parseDays(days)
		fault(err, "hours", days)
		sessions, err := parseSessions(text)
		fault(err, "hours", days)
		for _, day := range on {
			w.regular[day] = sessions
		}
	}
	for i, text := range m.Holidays {
		day, err := parseDate(text)
		if fault(err, "holidays", i); err == nil {
			w.special[day] = nil
		}
	}
	for text, hours := range m.Special {
		day, err := parseDate(text)
		fault(err, "special", text)
		sessions, err2 := parseSessions(hours)
		if fault(err2, "special", text); err == nil {
			w.special[day] = sessions
		}
	}
	return w
}
