package main

import (
	"context"
	"io"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/replay"
)

// benchReplay audits the topic as `replay` does, its reports encoded and
// thrown away.
func benchReplay(ctx context.Context, brokers, topic string, m *benchMeter) error {
	c, err := config.Load("", nil, append([]string{"bootstrap.servers=" + brokers, "topics=" + topic}, benchSettings()...))
	if err != nil {
		return err
	}
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer admin.Close()
	cluster := replay.Cluster{Admin: admin.Client}
	if cluster.Options, err = kafka.ReaderOptions(c); err != nil {
		return err
	}
	values, err := converter.Open(c, benchLog())
	if err != nil {
		return err
	}
	defer values.Close()
	defer collectRarely()()
	options := replay.Options{
		Topics: c.Topics, Limits: limitsOf(c),
		Decoder: func() (codecs.TickDecoder, error) {
			d, err := values.Decoder()
			return &meteredDecoder{d, m, 0}, err
		},
		Report: func(r *engine.Report) error {
			line, err := codecs.EncodeReport(r)
			if err == nil {
				_, err = io.Discard.Write(line)
			}
			return err
		},
		Note: func(string, ...any) {},
	}
	return replay.RunHistory(ctx, cluster, options)
}
