package codecs

import (
	"slices"
	"strings"
)

// feed is a venue's messages as its public documentation describes them.
type feed struct {
	name string
	says string   // what of the venue is read, and where it is documented
	wrap []string // paths of what wraps every message; "" is a bare one, "[]" those of an array, which come last
	talk []string // texts that are no messages, such as what answers a ping
	maps []feedMap
}

// feedMap says how one kind of message is read. Messages of no kind are
// ignored: heartbeats, and answers to what a client has asked for.
type feedMap struct {
	stream string      // tells its order from that of the venue's other streams
	when   []condition // what a message of the kind has
	symbol string
	time   string // alternatives, the one that orders the stream first
	also   string // further times: they change while nothing else does
	// Sequence numbers are named only where they are consecutive for a symbol
	// within the stream: others would make gaps of nothing.
	last, first, previous string
	record                bool // the record's time stands for a missing one
	venue, halt           string
}

// condition is what a message has at a path.
type condition struct {
	path   string
	values []string // any of these; empty: anything
	begins bool     // as its beginning
	absent bool     // no such value
}

func is(path string, values ...string) condition { return condition{path: path, values: values} }

func begins(path string, values ...string) condition {
	return condition{path: path, values: values, begins: true}
}

func has(path string) condition { return condition{path: path} }

func lacks(path string) condition { return condition{path: path, absent: true} }

// feeds are the venues whose messages are known by name.
var feeds = []*feed{
	&binance, &coinbase, &kraken, &bybit, &okx, &massive, &polygon, &alpaca, &finnhub, &databento,
}

// FeedNames are the venues that value.converter takes by name.
func FeedNames() []string {
	names := make([]string, len(feeds))
	for i, f := range feeds {
		names[i] = f.name
	}
	return names
}

// FeedSays is what of a venue is read, "" for an unknown one.
func FeedSays(name string) string {
	if f := feedNamed(name); f != nil {
		return f.says
	}
	return ""
}

// FeedStream is how one kind of a feed's messages is read, for its page.
type FeedStream struct {
	Name, When, Symbol, Time, Sequence string
	Record                             bool // the record's time stands for a missing one
}

// FeedStreams are the kinds of messages of a feed that are ticks.
func FeedStreams(name string) (out []FeedStream) {
	f := feedNamed(name)
	if f == nil {
		return nil
	}
	for _, m := range f.maps {
		s := FeedStream{Name: m.stream, Symbol: m.symbol, Time: m.time, Sequence: m.last, Record: m.record}
		if m.first != "" {
			s.Sequence = m.first + ".." + m.last
		}
		for i, c := range m.when {
			if i > 0 {
				s.When += ", "
			}
			s.When += c.String()
		}
		out = append(out, s)
	}
	return out
}

// String is the condition as pages show it.
func (c condition) String() string {
	switch {
	case c.absent:
		return "no " + c.path
	case len(c.values) == 0:
		return c.path
	case c.begins:
		return c.path + " = " + strings.Join(c.values, "…, ") + "…"
	}
	return c.path + " = " + strings.Join(c.values, ", ")
}

func feedNamed(name string) *feed {
	for _, f := range feeds {
		if f.name == name {
			return f
		}
	}
	return nil
}

// newFeed is a decoder of a venue's messages. What fields names takes the place
// of what the venue's documentation says: the paths of a sequence number or a
// venue, the kinds that are ticks.
func newFeed(v *feed, f Fields) (TickDecoder, error) {
	var maps []feedMap
	for _, wrap := range v.wrap {
		for _, m := range v.maps {
			m = m.within(wrap)
			if f.MergedStreams {
				// The numbers of one stream mean nothing among another's.
				m.stream, m.first, m.last, m.previous = "", "", "", ""
			}
			if f.Sequence != "" {
				m.first, m.last = sequenceRange(f.Sequence)
				m.previous = ""
			}
			if f.Venue != "" {
				m.venue = f.Venue
			}
			m.halt = f.Halt.Path
			if f.Kind != "" && len(f.Ticks) > 0 {
				m.when = append(m.when, condition{path: f.Kind, values: f.Ticks})
			}
			m.record = m.record || f.TimeOfRecord
			maps = append(maps, m)
		}
	}
	d, err := newJSONOf(f, maps)
	if err != nil {
		return nil, err
	}
	d.talk = v.talk
	return d, nil
}

// within is the map of messages that stand at a path of a larger one.
func (m feedMap) within(wrap string) feedMap {
	if wrap == "" {
		m.when = slices.Clone(m.when)
		return m
	}
	for _, paths := range []*string{&m.symbol, &m.time, &m.also, &m.last, &m.first, &m.previous, &m.venue, &m.halt} {
		if *paths != "" {
			*paths = wrap + "." + strings.ReplaceAll(*paths, "|", "|"+wrap+".")
		}
	}
	m.when = slices.Clone(m.when)
	for i := range m.when {
		m.when[i].path = wrap + "." + m.when[i].path
	}
	return m
}
