package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/connectapi"
	"github.com/auditstream/auditstream/internal/httpapi"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// listen takes the addresses of HTTP about a running audit: health and
// metrics, the page, and Kafka Connect's REST for all else.
func listen(ctx context.Context, admin *kafka.Admin, c *config.Config, o auditOptions) (*httpapi.Server, error) {
	connector, listening, err := connector(ctx, admin, c, o)
	if err != nil {
		return nil, err
	}
	own := httpapi.Handler(build(), func() httpapi.Status { return httpStatus(o.status.Stats(), c.MetricsLagNames) },
		func() httpapi.Doing { return doing(c.Name, o.control) })
	mux := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		mux.Handle(path, own)
	}
	mux.Handle("/page/", o.board.Handler())
	mux.Handle("/api/", o.board.Handler())
	mux.Handle("/", connectapi.Handler(connector, o.board.Page()))
	server, err := listenAs(c, mux)
	if err == nil {
		listening(server.Addresses())
	}
	return server, err
}

// listenAs takes the addresses for a handler, for those who may ask.
func listenAs(c *config.Config, handler http.Handler) (*httpapi.Server, error) {
	handler = httpapi.Authenticated(handler, c.RestUsername, c.RestPassword)
	if c.RestKeystore == "" {
		return httpapi.Listen("rest.listeners", c.RestListeners, handler, nil)
	}
	secure, err := httpapi.TLS(c.RestKeystore, c.RestTruststore, c.RestClientAuth)
	if err != nil {
		return nil, &config.Error{Faults: []config.Fault{{Text: err.Error()}}}
	}
	return httpapi.Listen("rest.listeners", c.RestListeners, handler, secure)
}

// connector is the audit in the terms of Connect's REST. The second result is
// to be told the addresses that answer.
func connector(ctx context.Context, admin *kafka.Admin, c *config.Config, o auditOptions) (*connectapi.Audit, func([]string), error) {
	metadata, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return nil, nil, err
	}
	b := build()
	var worker atomic.Value
	worker.Store("")
	listening := func(addresses []string) {
		for _, address := range addresses {
			_, host, _ := strings.Cut(address, "://")
			worker.Store(host)
			return
		}
	}
	return &connectapi.Audit{
		Name: c.Name, Version: b.Version, Commit: b.Commit, ClusterID: metadata.Cluster,
		Worker:   func() string { return worker.Load().(string) },
		Config:   connectorConfig(c),
		Topics:   c.Topics,
		LogLevel: strings.ToUpper(o.log.GetLevel().String()),
		State:    func() (connectapi.State, string) { return connectorState(o.control.State(), o.status.Stats()) },
		Offsets: func(ctx context.Context) ([]connectapi.Offset, error) {
			committed, err := admin.CommittedOffsets(ctx, topology.NamesOf(c.Name).Group)
			return connectorOffsets(committed, c.Topics), err
		},
		Keys:    connectorKeys(),
		Check:   checkByKey,
		Named:   c.RestUsername != "",
		Control: o.control,
	}, listening, nil
}

// connectorConfig is what was given, and what Connect's clients look for.
func connectorConfig(c *config.Config) map[string]string {
	settings := c.Given()
	maps.Copy(settings, map[string]string{
		"name": c.Name, "connector.class": connectapi.Class, "tasks.max": "1",
		"topics": strings.Join(c.Topics, ","), "audit.topic": c.AuditTopic,
	})
	return settings
}

func connectorState(state processors.State, s processors.Stats) (connectapi.State, string) {
	switch {
	case s.Fatal != nil:
		return connectapi.Failed, s.Fatal.Error()
	case state == processors.Paused:
		return connectapi.Paused, ""
	case state == processors.Stopped:
		return connectapi.Stopped, ""
	case state == processors.Restarting:
		return connectapi.Restarting, ""
	case !s.Ready && len(s.Partitions) == 0:
		return connectapi.Unassigned, ""
	}
	return connectapi.Running, ""
}

func connectorOffsets(committed kafka.Offsets, topics []string) []connectapi.Offset {
	var offsets []connectapi.Offset
	for _, topic := range topics {
		for _, partition := range slices.Sorted(maps.Keys(committed[topic])) {
			offsets = append(offsets, connectapi.Offset{Topic: topic, Partition: partition, Next: committed[topic][partition]})
		}
	}
	return offsets
}

// connectTypes are the types of keys in Connect's words.
var connectTypes = map[string]string{"list": "LIST", "integer": "LONG", "milliseconds": "LONG", "number": "DOUBLE"}

func connectorKeys() []connectapi.Key {
	var keys []connectapi.Key
	for _, k := range config.Keys {
		key := connectapi.Key{
			Name: k.Name, Default: k.Default, Meaning: strings.ReplaceAll(k.Meaning, "`", ""), Type: connectTypes[k.Type],
			Required: k.Default == "" && k.Unset == "required",
		}
		switch {
		case k.Secret():
			key.Type = "PASSWORD"
		case k.Type == "word":
			key.Allowed = strings.Split(k.Allowed, ", ")
		}
		if key.Type == "" {
			key.Type = "STRING"
		}
		keys = append(keys, key)
	}
	return keys
}

func checkByKey(settings map[string]string) map[string][]string {
	errors := map[string][]string{}
	for _, f := range config.Check(settings) {
		errors[f.Key] = append(errors[f.Key], f.Text)
	}
	return errors
}
