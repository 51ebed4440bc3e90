package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/internal/alert"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/httpapi"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

func (a *app) alertCommand() *cobra.Command {
	var flags configFlags
	var test bool
	cmd := &cobra.Command{
		Use:   "alert -c FILE",
		Short: "Tell Alertmanager, PagerDuty or a webhook what opens and what is over",
		Long: "alert reads the audit topic in a group of its own, read committed, and tells the\n" +
			"target of the keys alert.* each finding once when it opens and once when it is\n" +
			"over, under its finding_id. It commits after the target has accepted, and knows\n" +
			"after a restart what is open. At its first start it tells what is open then.\n" +
			"SIGINT or SIGTERM ends it; what is open stays open at the target.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&test, "test", false, "tell the target a test alert and its end, without Kafka, and exit")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags, config.TopicsOptional())
		if err != nil {
			return err
		}
		switch {
		case c.Alert.Target == "":
			return withTry(usagef("no target: set alert.target to alertmanager, pagerduty or webhook"), "auditstream config docs")
		case test:
			return a.testAlert(cmd.Context(), c)
		case c.AuditTopic == "":
			return usagef("no audit topic: set audit.topic or topics")
		}
		err = unlessStopped(cmd.Context(), a.alert(cmd.Context(), c))
		return withRights(cmd.Context(), c, topology.Alerting(c.Name, c.AuditTopic), false, err)
	}
	return cmd
}

// testAlert tells an alert and its end.
func (a *app) testAlert(ctx context.Context, c *config.Config) error {
	target, err := alert.New(c)
	if err != nil {
		return usageError{err}
	}
	probe := alert.Probe(c.Name, time.Now())
	if err := target.Send(ctx, []alert.Alert{probe}); err != nil {
		return withTry(fmt.Errorf("the test alert: %w", err), "check the keys alert.*")
	}
	fmt.Fprintln(a.out, "the target has accepted a test alert")
	if err := target.Send(ctx, []alert.Alert{probe.Over(time.Now())}); err != nil {
		return withTry(fmt.Errorf("the end of the test alert: %w", err), "check the keys alert.*")
	}
	fmt.Fprintln(a.out, "the target has accepted its end")
	return nil
}

func (a *app) alert(ctx context.Context, c *config.Config) error {
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer admin.Close()
	o, err := alertOptions(c)
	if err != nil {
		return err
	}
	o.Log = a.logger()
	if err := admin.GroupInUse(ctx, o.Group, o.Instance); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	o.Metrics = alert.NewMetrics(registry)
	server, err := httpapi.Listen("alert.listeners", c.Alert.Listeners, alertHandler(registry), nil) // before anything is made
	if err != nil {
		return err
	}
	defer server.Close()
	// The table has as many partitions as the audit topic, which must be there
	// for that.
	layout := topology.Alerting(c.Name, c.AuditTopic)
	first := layout
	first.Topics = layout.Topics[:1]
	for _, t := range []topology.Topology{first, layout} {
		made, err := admin.EnsureTopics(ctx, t)
		if err != nil {
			return err
		}
		if len(made.Created) > 0 {
			o.Log.Info().Strs("topics", made.Created).Msg("topics made")
		}
		if len(made.Widened) > 0 {
			o.Log.Info().Strs("tables", made.Widened).Msg("tables made as wide as topics that have grown")
		}
	}
	server.Serve()
	o.Log.Info().Str("audit_topic", o.Topic).Str("group", o.Group).Str("target", c.Alert.Target).
		Stringer("severity", c.Alert.Severity).Strs("http", server.Addresses()).Msg("alerting starts")
	reports, closeReports, err := reportsOf(c, o.Log)
	if err != nil {
		return err
	}
	defer closeReports()
	defer context.AfterFunc(ctx, closeReports)()
	o.Form = reports.Decode
	err = alert.Run(ctx, o)
	o.Log.Info().Err(err).Msg("alerting ends")
	return err
}

func alertHandler(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{\"status\":\"ok\"}\n"))
	})
	return mux
}

func alertOptions(c *config.Config) (alert.Options, error) {
	var o alert.Options
	target, err := alert.New(c)
	if err != nil {
		return o, withTry(usageError{err}, "check the keys alert.*")
	}
	consumer, err := kafka.ConsumerOptions(c)
	if err != nil {
		return o, err
	}
	requests, err := kafka.AdminOptions(c)
	if err != nil {
		return o, err
	}
	instance := c.InstanceID
	if instance == "" {
		if instance, err = os.Hostname(); err != nil {
			return o, withTry(errors.New("instance.id: the host has no name"), "set the key instance.id")
		}
	}
	names := topology.NamesOf(c.Name)
	return alert.Options{
		Consumer: consumer, Client: requests, Topic: c.AuditTopic, Group: names.AlertGroup, Table: names.AlertTable,
		Instance: instance, Target: target, Severity: c.Alert.Severity, Resend: c.Alert.Resend, Rate: c.Alert.Rate,
	}, nil
}
