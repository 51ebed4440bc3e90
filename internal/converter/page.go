package converter

import (
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/codecs"
)

// Page is the page of formats and feeds, as Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString(formats)
	for _, name := range codecs.FeedNames() {
		streams := codecs.FeedStreams(name)
		if name == "polygon" {
			continue // reads what massive reads
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n| stream | messages with | symbol | time | sequence |\n|---|---|---|---|---|\n", name, codecs.FeedSays(name))
		for _, s := range streams {
			time := code(s.Time)
			if s.Record {
				time += ", else the record's"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.Name, code(s.When), code(s.Symbol), time, code(s.Sequence))
		}
	}
	return b.String()
}

// code is text in the way of a Markdown table's cell.
func code(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

const formats = `# Formats and feeds

The key ` + "`value.converter`" + ` says what the values of a topic are, the ` + "`field.*`" + ` keys where a tick has its symbol, time,
sequence number and venue; [configuration.md](configuration.md) has them all. Try a map on some records first:

    auditstream config validate -c FILE --sample RECORDS

RECORDS is a capture (` + "`kcat -C -t ticks -J`" + `), or a file with one value a line. What was read is printed by class, with what
is missing.

## Paths

| path | reads |
|---|---|
| ` + "`data.s`" + ` | a member of a member, by its exact name: ` + "`t` is not `T`" + ` |
| ` + "`data[].s`" + ` | every element of an array, each a tick of its own; one object in its place is one tick |
| ` + "`[].s`" + ` | a message that is an array |
| ` + "`T\\|E`" + ` | the first of several that the message has |
| ` + "`data[].s`" + ` in Avro, Protobuf | every element of an array or repeated field; the path ends in a value |
| ` + "`U..u`" + ` | of ` + "`field.sequence`" + `: the first and the last number that an aggregate takes up |
| ` + "`2`, `price`" + ` | of ` + "`csv`" + `: a column by its number, counted from 0, or by its name |

A record of several ticks counts as one of ` + "`records`" + `; ticks beyond the first are ` + "`batched`" + `. Messages that are no ticks,
which ` + "`field.kind`" + ` or a feed tells, and what a venue sends beside its data (` + "`pong`" + `), are ` + "`ignored`" + `: records + batched = ticks + unreadable + unusable + tombstones + ignored.
Ticks without a time of their own, judged by their record's, are counted as ` + "`record_timed`" + `: they take no part in the order
of event times, nor in what is said of clocks.

## Times

` + "`field.timestamp.unit=auto`" + ` goes by the digits before the point: 10 are seconds, 13 milliseconds, 16 microseconds, 19
nanoseconds; other counts are unusable. Numbers are read digit by digit, in strings and with exponents too: one whose
digits are not certain is ` + "`time_precision_lost`" + `. Text times are ISO 8601. What stands for no time is told apart:
` + "`time_missing`, `time_null`, `time_zero`, `time_negative`" + ` and ` + "`time_unset`" + `, the greatest time that there is. A second 60 at
the end of a UTC day is the last nanosecond before midnight.

## Feeds

A feed's messages are known by name: ` + "`value.converter=binance`" + `. Each of its streams is ordered on its own, its name being the
venue of its ticks, unless ` + "`feed.streams=merged`" + `. ` + "`field.sequence`, `field.venue` and `field.kind`" + ` take the place of what the
feed says. Sequence numbers are read where they are consecutive for a symbol within the stream. ` + "`polygon`" + ` is the older name of
` + "`massive`" + `.
`
