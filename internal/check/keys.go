package check

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

func (s *sample) addKey(r *kgo.Record, t *engine.Tick) {
	switch {
	case r.Key == nil:
		s.null++
		return
	case len(r.Key) == 0:
		s.empty++
		return
	}
	s.keyed++
	at := keyPlace{string(r.Key), r.Partition}
	if s.keys[at] == nil {
		s.keys[at] = &engine.KeyPlace{Key: at.key, Partition: at.partition, First: t.RecordTime}
	}
	s.keys[at].Records++
	s.keys[at].Last = t.RecordTime
	if r.Key[0] == 0 && len(r.Key) > 5 {
		s.framed++
	} else if t.Kind == engine.Good && !s.spells(r.Key, t.Symbol) {
		s.mismatched++
	}
}

func (s *sample) spells(key, symbol []byte) bool {
	if s.config.SymbolNormalize == "upper" {
		key = engine.NormalizeKey(key)
	}
	return bytes.Equal(key, symbol)
}

// keyForms says what the keys are.
func (s *sample) keyForms() Check {
	result := Check{"keys of " + s.topic, OK, "", "every key is its tick's symbol", ""}
	distinct := map[string]bool{}
	for at := range s.keys {
		distinct[at.key] = true
	}
	parts := []string{fmt.Sprintf("%s of %s", engine.Plural(int64(s.keyed), "record"), engine.Plural(int64(len(distinct)), "key"))}
	tell := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
			result.Status = Warn
		}
	}
	tell(s.null, "without a key")
	tell(s.empty, "with a key of no bytes")
	tell(s.mismatched, "whose key is not their symbol")
	tell(s.framed, "with a schema id before the key, so that a new schema moves every symbol")
	result.Observed = strings.Join(parts, "; ")
	if result.Status == Warn {
		result.Action = "let producers write the symbol's bytes as the key; auditstream explain KEY_MISMATCH"
	}
	return result
}
