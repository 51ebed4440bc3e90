package config

import (
	"fmt"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Fields says where and how the fields of a tick are read.
func (c *Config) Fields() (codecs.Fields, error) {
	unit, ok := engine.ParseUnit(c.FieldTimestampUnit)
	if !ok {
		return codecs.Fields{}, fmt.Errorf("field.timestamp.unit: unknown unit %q", c.FieldTimestampUnit)
	}
	normalize, err := codecs.ParseNormalize(c.SymbolNormalize)
	if err != nil {
		return codecs.Fields{}, err
	}
	return codecs.Fields{
		Symbol: c.FieldSymbol, Timestamp: c.FieldTimestamp, Unit: unit, Zone: c.FieldTimestampZone, Normalize: normalize,
	}, nil
}
