package engine

import (
	"fmt"
	"maps"
	"strconv"
)

// AboutSchema reports whether the reason is about the schema that a value
// names: its bytes cannot be judged.
func (r Reason) AboutSchema() bool {
	return r == ReasonSchemaUnknown || r == ReasonSchemaChanged || r == ReasonSchemaInvalid || r == ReasonMessageUnknown
}

// detectSchemaUnknown judges values whose schema cannot be used.
func detectSchemaUnknown(p *Partition, t *Tick) {
	if t.Kind != Unreadable || !t.Reason.AboutSchema() {
		return
	}
	name := t.Reason.String()
	if t.SchemaID != 0 {
		name = "id " + strconv.Itoa(int(t.SchemaID)) + ": " + name
	}
	e, opened := p.note(SchemaUnknown, t, "", "", name, 0)
	if e == nil {
		return
	}
	if _, known := e.Also[name]; !known {
		tallyIn(&e.Also, name, p.limits.SpellingsPerEvidence, t.Offset)
	}
	p.tellOf(e, opened)
}

func describeSchemaUnknown(p *Partition, e *Episode, f *Finding) {
	f.Symbol = ""
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d whose schema cannot be used, the first at offset %d%s",
		plural(e.Count, "value"), p.topic, p.id, e.FirstOffset, e.reasons())
	f.Evidence["schemas"], f.Evidence["other_schemas"], f.Evidence["first_offsets"] = maps.Clone(e.Tally), e.Beyond, maps.Clone(e.Also)
	f.Evidence["first_bytes"] = e.Note
}
