package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the expected findings in testdata/scripts")

// A script is a file of cases. A case is a head, lines of what happens, a
// line of four dashes, and what is found, up to an empty line:
//
//	case NAME, in words
//	limits max.tick.age.ms=250 partitions=2 replay
//	0@7 QXA -900ms rt=0s key=qxa x3 every=1ms
//	clock 5s
//	----
//	OPENED STALE_TICK ...
//
// A record is partition@offset, symbol and event time after T0. rt is its
// record time, "none" for unset; by default the greatest event time of its
// partition so far. key is its key, "null" or "empty" for none and for no
// bytes. tombstone, unreadable=REASON and unusable=REASON say what its value
// is, from=TOPIC/P/OFFSET what its headers name. x and every repeat it, with
// steady at the same event time. content is what it says, as a number; halted
// and resumed tell of a halt of the symbol. venue, seq (a number or a range,
// which go on with x), unit, producer, format and schema are those of the tick.
//
//	clock TIME [end=P:OFFSET]     the audit is live and this is the wall clock; FROM..TO: each second
//	lag TIME GROUP P COMMITTED START END [GROUP P ...]   - is unknown
//	rebalances GROUP NOW TIME ...
//	settings TIME [NAME=VALUE ...]  the brokers tell the topic's settings, the rest as they should be
//	step DURATION                 the wall clock of the audit is set by so much
//	grow N                        the topic has N partitions from here on
//	count N                       the brokers, asked, say that it has N partitions
//	lost P FROM TO           the audit goes on at TO without those from FROM on
//	cut P TO                      the log was truncated to TO
//	recreate                      the topic was deleted and made again
type scriptCase struct {
	name   string
	limits []string
	lines  []string
	want   []string
}

// closedHours are those of markets that are closed once, from T0 plus one time
// to T0 plus another: the limit closed=FROM-TO.
type closedHours struct{ from, to int64 }

func (c closedHours) Hours(string) Hours { return c }

func (c closedHours) Open(from, to int64) time.Duration {
	return time.Duration(max(0, to-from-max(0, min(to, c.to)-max(from, c.from))))
}

func (c closedHours) After(from int64, open time.Duration) int64 {
	if at := from + int64(open); at <= c.from || from >= c.to {
		return at
	}
	return from + int64(open) + c.to - max(from, c.from)
}

// T0 of the scripts, and of the cases of public bug reports.
const t0 = int64(1_735_831_800_000_000_000)

func parseScript(t *testing.T, file string) (head []string, cases []scriptCase) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#") && len(cases) == 0:
			head = append(head, line)
		case strings.HasPrefix(line, "case "):
			cases = append(cases, scriptCase{name: strings.TrimPrefix(line, "case ")})
			want = false
		case len(cases) == 0 || line == "":
		case line == "----":
			want = true
		default:
			c := &cases[len(cases)-1]
			switch {
			case want:
				c.want = append(c.want, line)
			case strings.HasPrefix(line, "limits "):
				c.limits = strings.Fields(line)[1:]
			default:
				c.lines = append(c.lines, line)
			}
		}
	}
	return head, cases
}

func (c *scriptCase) text() string {
	s := "case " + c.name + "\n"
	if len(c.limits) > 0 {
		s += "limits " + strings.Join(c.limits, " ") + "\n"
	}
	return s + strings.Join(append(append(slices.Clone(c.lines), "----"), c.want...), "\n") + "\n"
}

// live reports whether the case depends on what no row keeps.
func (c *scriptCase) live() bool {
	return slices.ContainsFunc(c.lines, func(l string) bool {
		w := strings.Fields(l)[0]
		return w == "clock" || w == "settings" || w == "step" || w == "rebalances" || w == "grow" || w == "count" || w == "recreate" || w == "lost" || w == "cut"
	})
}

func number(s string) int64 {
	if s == "-" {
		return Unknown
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func after(s string) int64 {
	if s == "none" {
		return NoTime
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return t0 + int64(d)
}

// play is a run of a case.
type play struct {
	*world
	c      *scriptCase
	clock  int64
	latest map[int32]int64
	asked  int64          // times that the brokers were asked for the partition count
	hook   func(line int) // called after each line
}

func newPlay(t *testing.T, c *scriptCase) *play {
	l := DefaultLimits()
	partitions := 1
	for _, o := range c.limits {
		k, v, _ := strings.Cut(o, "=")
		ms := func() time.Duration { return time.Duration(number(v)) * time.Millisecond }
		switch k {
		case "partitions":
			partitions = int(number(v))
		case "max.tick.age.ms":
			l.MaxTickAge = ms()
		case "max.symbol.silence.ms":
			if l.AutoSilence = v == "auto"; !l.AutoSilence {
				l.MaxSymbolSilence = ms()
			}
		case "closed":
			from, to, _ := strings.Cut(v, "-")
			l.Calendar = closedHours{after(from), after(to)}
		case "clock.skew.tolerance.ms":
			l.ClockSkewTolerance = ms()
		case "partition.skew.min.ticks":
			l.PartitionSkewMin = number(v)
		case "max.lag.ticks":
			l.MaxLagTicks = number(v)
		case "partitioner":
			l.Partitioner = v
		case "symbol.normalize":
			l.NormalizeUpper = v == "upper"
		case "field.venue":
			l.OrderByVenue = true
		case "field.sequence":
			l.Sequences = true
		case "sequence.filtered.venues":
			l.SequenceFiltered = strings.Split(v, ",")
		case "backfill.min.records":
			l.BackfillMin = number(v)
		case "late.report.tolerance.ms":
			l.LateTolerance = ms()
		case "late.report.venues":
			l.LateVenues = strings.Split(v, ",")
		case "field.timestamp.unit":
			l.Unit, _ = ParseUnit(v)
		case "field.producer":
			l.ProducerHeader = v
		case "now":
			l.Now = after(v)
		case "replay":
			l.Replay = true
		default:
			t.Fatalf("case %s: limit %q is not known", c.name, k)
		}
	}
	return &play{world: newWorld(t, partitions, &l), c: c, clock: NoTime, latest: map[int32]int64{}}
}

// records are the records of a line.
func (p *play) records(line string) []record {
	w := strings.Fields(line)
	place, offset, _ := strings.Cut(w[0], "@")
	id := int32(number(place))
	tick := Tick{Offset: number(offset), EventTime: after(w[2]), Symbol: []byte(w[1]), Key: []byte(w[1]), Value: []byte("{}"), Unit: UnitNanos}
	times, every := 1, int64(0)
	var rt int64
	hasTime, steady := false, false
	for _, o := range w[3:] {
		k, v, _ := strings.Cut(o, "=")
		switch {
		case k == "rt":
			rt, hasTime = after(v), true
		case k == "key" && v == "null":
			tick.Key = nil
		case k == "key" && v == "empty":
			tick.Key = []byte{}
		case k == "key":
			s, err := strconv.Unquote(`"` + v + `"`)
			if err != nil {
				p.t.Fatal(err)
			}
			tick.Key = []byte(s)
		case k == "symbol":
			s, err := strconv.Unquote(`"` + v + `"`)
			if err != nil {
				p.t.Fatal(err)
			}
			tick.Symbol = []byte(s)
		case k == "tombstone":
			tick.Kind, tick.Value, tick.Symbol = Tombstone, nil, nil
		case k == "unreadable", k == "unusable":
			tick.Kind, tick.Symbol, tick.Value = Unusable, nil, []byte(`{"bad`)
			if k == "unreadable" {
				tick.Kind = Unreadable
			}
			if tick.Reason = Reason(slices.Index(reasonNames[:], v)); tick.Reason >= reasonCount {
				p.t.Fatalf("reason %q is not known", v)
			}
		case k == "from":
			f := strings.Split(v, "/")
			tick.Origin = &Place{f[0], int32(number(f[1])), number(f[2])}
		case k == "content":
			tick.Content = uint64(number(v))
		case k == "halted":
			tick.Halt = Halted
		case k == "resumed":
			tick.Halt = Resumed
		case k == "steady":
			steady = true
		case k == "venue":
			tick.Venue = []byte(v)
		case k == "seq":
			from, to, ok := strings.Cut(v, "-")
			if tick.SequenceFirst = number(from); !ok {
				to = from
			}
			tick.HasSequence, tick.Sequence = true, number(to)
		case k == "format":
			for f := range FormatCount {
				if f.String() == strings.ReplaceAll(v, "_", " ") {
					tick.Format = f
				}
			}
		case k == "schema":
			tick.SchemaID = int32(number(v))
		case k == "producer":
			tick.Producer = []byte(v)
		case k == "unit":
			var ok bool
			if tick.Unit, ok = ParseUnit(v); !ok {
				tick.Unit = UnitRecord
			}
		case k == "every":
			every = after(v) - t0
		case strings.HasPrefix(k, "x"):
			times = int(number(k[1:]))
		default:
			p.t.Fatalf("line %q: %q is not known", line, o)
		}
	}
	out := make([]record, times)
	for i := range out {
		out[i] = record{partition: id, tick: tick, now: NoTime}
		r := &out[i].tick
		r.Offset += int64(i)
		if n := tick.Sequence - tick.SequenceFirst + 1; tick.HasSequence {
			r.SequenceFirst, r.Sequence = r.SequenceFirst+int64(i)*n, r.Sequence+int64(i)*n
		}
		if !steady {
			r.EventTime += int64(i) * every
		}
		if hasTime {
			r.RecordTime = rt
			if rt != NoTime {
				r.RecordTime += int64(i) * every
			}
		} else {
			p.latest[id] = max(p.latest[id], r.EventTime)
			r.RecordTime = p.latest[id]
		}
	}
	return out
}

func (p *play) line(line string) {
	w := strings.Fields(line)
	switch w[0] {
	case "clock":
		from, to, _ := strings.Cut(w[1], "..")
		for at := after(from); ; at += second {
			p.tick(at, w[2:])
			if to == "" || at >= after(to) {
				break
			}
		}
	case "lag":
		var samples []LagSample
		for f := w[2:]; len(f) >= 5; f = f[5:] {
			samples = append(samples, LagSample{
				Group: f[0], Partition: int32(number(f[1])), Committed: number(f[2]), Start: number(f[3]), End: number(f[4]), Members: Unknown,
			})
		}
		p.topic.ObserveLag(samples, after(w[1]))
		p.checkpointTopic()
	case "settings":
		s := TopicSettings{Topic: "ticks", Bootstrap: "broker:9092", Brokers: 3, Replicas: 3, Keep: KeepHistory, Values: map[string]string{
			"min.insync.replicas": "2", "unclean.leader.election.enable": "false", "cleanup.policy": "delete", "retention.ms": "604800000", "message.timestamp.type": "CreateTime",
		}}
		for _, o := range w[2:] {
			switch k, v, _ := strings.Cut(o, "="); k {
			case "brokers":
				s.Brokers = int(number(v))
			case "replicas":
				s.Replicas = int(number(v))
			default:
				s.Values[k] = v
			}
		}
		p.topic.ObserveSettings(&s, after(w[1]))
		p.checkpointTopic()
	case "step":
		for id, part := range p.parts {
			part.ClockStepped(after(w[1])-t0, p.clock+after(w[1])-t0)
			p.checkpoint(id, true)
		}
	case "rebalances":
		var at []int64
		for _, s := range w[3:] {
			at = append(at, after(s))
		}
		p.topic.ObserveRebalances(w[1], at, after(w[2]))
		p.checkpointTopic()
	case "count":
		p.asked++
		p.topic.HasPartitions(int32(number(w[1])), p.asked, p.asked)
		p.checkpointTopic()
	case "grow":
		p.grow(int(number(w[1])))
	case "lost":
		id := int(number(w[1]))
		p.parts[id].Lost(number(w[2]), number(w[3]))
		p.checkpoint(id, true)
		p.restart(id)
	case "cut":
		p.cut(int(number(w[1])), number(w[2]))
	case "recreate":
		for id := range p.parts {
			p.checkpoint(id, true)
			p.parts[id] = NewPartition("ticks", int32(id), int32(len(p.parts)), p.limits)
			p.parts[id].MarkReset()
			p.logs[id], p.at[id] = nil, 0
			p.checkpoint(id, true)
		}
	default:
		for _, r := range p.records(line) {
			p.parts[r.partition].ReadAt(p.clock)
			if p.clock != NoTime && p.parts[r.partition].Live() {
				r.now = p.clock
			}
			p.produce(r)
			p.step(int(r.partition))
		}
	}
}

// cut truncates the log, as an unclean election does, and restarts the audit
// behind it: rows of before must not win over those of after.
func (p *play) cut(id int, to int64) {
	p.checkpoint(id, true)
	p.parts[id].Truncate(to)
	p.logs[id] = slices.DeleteFunc(p.logs[id], func(r record) bool { return r.tick.Offset >= to })
	p.checkpoint(id, true)
	p.restart(id)
	p.at[id] = len(p.logs[id])
}

func (p *play) tick(now int64, ends []string) {
	p.clock = now
	for id, part := range p.parts {
		end := part.Through() + 1
		for _, e := range ends {
			if at, n, _ := strings.Cut(strings.TrimPrefix(e, "end="), ":"); number(at) == int64(id) {
				end = number(n)
			}
		}
		part.Progress(end, now)
		part.Sweep(now)
		p.checkpoint(id, true)
	}
	p.topic.Sweep(now)
	p.checkpointTopic()
}

func (p *play) run() []string {
	for i, l := range p.c.lines {
		p.line(l)
		if p.hook != nil {
			p.hook(i)
		}
	}
	final := p.finish()
	var out []string
	for _, r := range p.reports {
		if r.Trigger == TriggerFinding {
			out = append(out, showFinding(&r.Findings[0]))
		}
	}
	for i := range final.Findings {
		if f := &final.Findings[i]; f.State != Resolved {
			out = append(out, "final "+showFinding(f))
		}
	}
	return append(out, showTotals(final)...)
}

func scripts(t *testing.T, each func(t *testing.T, file string, c *scriptCase)) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			_, cases := parseScript(t, file)
			for i := range cases {
				t.Run(cases[i].name, func(t *testing.T) { each(t, file, &cases[i]) })
			}
		})
	}
}

// go test ./engine -run TestScripts -update
func TestScripts(t *testing.T) {
	if *update {
		rewriteScripts(t)
	}
	scripts(t, func(t *testing.T, _ string, c *scriptCase) {
		p := newPlay(t, c)
		if got := p.run(); !slices.Equal(got, c.want) {
			t.Errorf("found\n  %s\nwant\n  %s\n(go test ./engine -run TestScripts -update rewrites it)", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
		if twice := openedTwice(p.reports); len(twice) > 0 {
			t.Errorf("opened more than once: %v", twice)
		}
	})
}

func rewriteScripts(t *testing.T) {
	files, _ := filepath.Glob("testdata/scripts/*.txt")
	for _, file := range files {
		head, cases := parseScript(t, file)
		text := strings.Join(head, "\n") + "\n"
		for i := range cases {
			cases[i].want = newPlay(t, &cases[i]).run()
			text += "\n" + cases[i].text()
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryCodeHasAScript(t *testing.T) {
	for _, c := range Codes() {
		b, err := os.ReadFile("testdata/scripts/" + c.Name + ".txt")
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(b), "OPENED "+c.Name) {
			t.Errorf("no case of %s opens it", c.Name)
		}
	}
}

// compare runs a case another way: the outcome must be the same.
func compare(t *testing.T, c *scriptCase, once bool, change func(p *play)) {
	t.Helper()
	plain := newPlay(t, c)
	plain.run()
	p := newPlay(t, c)
	change(p)
	p.run()
	last := func(p *play) *Report { return p.reports[len(p.reports)-1] }
	want, got := outcome(plain.reports, last(plain)), outcome(p.reports, last(p))
	if !slices.Equal(got, want) {
		t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if twice := openedTwice(p.reports); once && len(twice) > 0 {
		t.Errorf("opened more than once: %v", twice)
	}
}

func TestScriptsWithARestartAfterEveryRecord(t *testing.T) {
	scripts(t, func(t *testing.T, _ string, c *scriptCase) {
		if c.live() {
			return // what no row keeps decides
		}
		compare(t, c, true, func(p *play) { p.restarts = true })
	})
}

func TestScriptsWithHalfWrittenCheckpoints(t *testing.T) {
	scripts(t, func(t *testing.T, _ string, c *scriptCase) {
		if c.live() {
			return
		}
		for seed := range 3 { // every line comes behind one of them
			compare(t, c, false, func(p *play) { p.c, p.seed = halfWritten(p, c), seed })
		}
	})
}

// halfWritten puts a checkpoint of which only a part was written, and a
// restart after it, behind every third line.
func halfWritten(p *play, c *scriptCase) *scriptCase {
	h := *c
	p.hook = func(i int) {
		if (i+p.seed)%3 != 0 {
			return
		}
		for id := range p.parts {
			p.checkpoint(id, false)
			p.restart(id)
			for p.step(id) {
			}
		}
	}
	return &h
}

func TestScriptsShuffledAcrossPartitions(t *testing.T) {
	scripts(t, func(t *testing.T, _ string, c *scriptCase) {
		plain := slices.ContainsFunc(c.lines, func(l string) bool { return !strings.Contains(strings.Fields(l)[0], "@") })
		if plain {
			return // the order of its lines matters
		}
		for seed := range uint64(2) {
			compare(t, c, true, func(p *play) {
				s := *c
				s.lines = shuffled(c.lines, rand.New(rand.NewPCG(1, seed)))
				p.c = &s
			})
		}
	})
}

// shuffled mixes lines and keeps the order within each partition.
func shuffled(lines []string, random *rand.Rand) []string {
	byPlace := map[string][]string{}
	var places []string
	for _, l := range lines {
		place, _, _ := strings.Cut(l, "@")
		byPlace[place] = append(byPlace[place], l)
		places = append(places, place)
	}
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	out := make([]string, 0, len(lines))
	for _, place := range places {
		out = append(out, byPlace[place][0])
		byPlace[place] = byPlace[place][1:]
	}
	return out
}

// TestScriptsGarbled cuts, repeats and reorders lines: whatever happens, the
// audit counts every record once and does not panic.
func TestScriptsGarbled(t *testing.T) {
	scripts(t, func(t *testing.T, _ string, c *scriptCase) {
		for seed := range uint64(2) {
			random := rand.New(rand.NewPCG(2, seed))
			g := *c
			g.lines = nil
			for range len(c.lines) * 2 {
				g.lines = append(g.lines, c.lines[random.IntN(len(c.lines))])
			}
			g.limits = append(slices.Clone(c.limits), fmt.Sprintf("partitions=%d", 16+random.IntN(9)))
			p := newPlay(t, &g)
			p.run()
			for _, part := range p.parts {
				k := &part.row.Counts
				if !k.Whole() {
					t.Errorf("seed %d: counts do not add up: %+v", seed, k)
				}
			}
		}
	})
}
