package main

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/registry"
)

// reportForm is how reports are written. In Avro their schema is registered
// first.
func reportForm(ctx context.Context, c *config.Config, schemas *registry.Source, log zerolog.Logger) (codecs.ReportForm, error) {
	if c.AuditValueConverter != "avro" {
		return codecs.ReportForm{}, nil
	}
	reports := registry.NewReports(schemas)
	if err := reports.Register(ctx, c.AuditTopic, log); err != nil {
		return codecs.ReportForm{}, err
	}
	return codecs.ReportForm{ContentType: "application/avro", Encode: reports.Encode}, nil
}

// reportsOf reads reports in either form. Without a registry those in Avro
// cannot be read, which is told for each of them.
func reportsOf(c *config.Config, log zerolog.Logger) (*registry.Reports, func(), error) {
	schemas, err := registry.OpenFor(c, log)
	if err != nil || schemas == nil {
		return nil, func() {}, err
	}
	return registry.NewReports(schemas), schemas.Close, nil
}
