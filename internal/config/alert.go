package config

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Alert is where the command alert sends findings, and how.
type Alert struct {
	Target        string   // alertmanager, pagerduty, webhook, or "" for none
	URLs          []string // never empty where there is a target
	Severity      engine.Severity
	Resend        time.Duration // between two tellings of an open alert
	Timeout       time.Duration // of a request
	Rate          int           // requests a minute
	Link          string
	Listeners     string // "" means no HTTP
	Authorization string // secret
	RoutingKey    string // secret
	CAFile        string
}

var alertKeys = []Key{
	{"alert.target", "", "`auditstream alert` has nowhere to go", "Where `auditstream alert` tells findings: Alertmanager's API v2, PagerDuty's Events API v2, or a POST of one JSON object an event.",
		oneOf(func(c *Config) *string { return &c.Alert.Target }, "alertmanager", "pagerduty", "webhook", "")},
	{"alert.url", "", "`http://localhost:9093` for Alertmanager, PagerDuty's own for PagerDuty; a webhook needs one", "Address of the target. Of a cluster of Alertmanagers list every server. An address that holds a token can be a reference, `${file:/path:key}`.",
		list(func(c *Config) *[]string { return &c.Alert.URLs }, addressOfTarget)},
	{"alert.severity", "WARNING", "", "Findings below this are not told.",
		severity(func(c *Config) *engine.Severity { return &c.Alert.Severity })},
	{"alert.resend.ms", "60000", "", "An open alert is told Alertmanager again this often, with its latest numbers. Less than a third of its `resolve_timeout`, by default 5 minutes.",
		millis(func(c *Config) *int64 { return (*int64)(&c.Alert.Resend) }, 100)},
	{"alert.timeout.ms", "10000", "", "How long a request to the target may take.",
		millis(func(c *Config) *int64 { return (*int64)(&c.Alert.Timeout) }, 100)},
	{"alert.rate.per.minute", "120", "", "At most so many requests a minute; alerts beyond wait, in order. PagerDuty takes about 120 events a minute.",
		count(func(c *Config) *int { return &c.Alert.Rate }, 1, 100_000)},
	{"alert.link", "", "none", "Address that alerts lead to: a dashboard, a runbook, the audit's page.",
		text(func(c *Config) *string { return &c.Alert.Link }, addressOfTarget)},
	{"alert.authorization", "", "none", "A secret: the value of the header `Authorization` for Alertmanager or a webhook, such as `Bearer …`.",
		text(func(c *Config) *string { return &c.Alert.Authorization }, anyText)},
	{"alert.pagerduty.routing.key", "", "PagerDuty needs one", "A secret: the integration key of a PagerDuty service.",
		text(func(c *Config) *string { return &c.Alert.RoutingKey }, anyText)},
	{"alert.ssl.ca.location", "", "the system's", "PEM file of authorities that the target's certificate is held against.",
		text(func(c *Config) *string { return &c.Alert.CAFile }, authoritiesRule)},
	{"alert.listeners", "", "no HTTP", "Address of health and metrics of `auditstream alert`, such as `http://127.0.0.1:8084`.",
		text(func(c *Config) *string { return &c.Alert.Listeners }, plainListenerRule)},
}

// alertSecrets are keys whose value is shown to nobody.
var alertSecrets = map[string]bool{"alert.authorization": true, "alert.pagerduty.routing.key": true}

// alertURLs are the addresses of targets that have one by nature.
var alertURLs = map[string]string{
	"alertmanager": "http://localhost:9093",
	"pagerduty":    "https://events.pagerduty.com/v2/enqueue",
}

var addressOfTarget = rule{"http:// or https://", func(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("not an address that begins with http:// or https://")
	}
	return nil
}}

func severity(field func(*Config) *engine.Severity) kind {
	return kind{"word", "INFO, WARNING, CRITICAL", func(c *Config, value string) error {
		if err := field(c).UnmarshalText([]byte(strings.ToUpper(value))); err != nil {
			return notOneOf(value, []string{"INFO", "WARNING", "CRITICAL"})
		}
		return nil
	}}
}

// alertFaults finds what is missing or contradicts, and fills in a target's
// own address.
func (c *Config) alertFaults() []Fault {
	a := &c.Alert
	var faults []Fault
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	if own := alertURLs[a.Target]; own != "" && len(a.URLs) == 0 {
		a.URLs = []string{own}
	}
	switch {
	case a.Target == "webhook" && len(a.URLs) == 0:
		fault("alert.url", "alert.target webhook needs the address to post to")
	case a.Target != "alertmanager" && len(a.URLs) > 1:
		fault("alert.url", "only a cluster of Alertmanagers has several addresses")
	}
	switch {
	case a.Target == "pagerduty" && a.RoutingKey == "":
		fault("alert.pagerduty.routing.key", "alert.target pagerduty needs the integration key of a service")
	case a.Target == "pagerduty" && len(a.RoutingKey) != 32:
		fault("alert.pagerduty.routing.key", "an integration key has 32 characters")
	case a.Target != "pagerduty" && a.RoutingKey != "":
		fault("alert.pagerduty.routing.key", "has no effect without alert.target pagerduty")
	case a.Target == "pagerduty" && a.Authorization != "":
		fault("alert.authorization", "has no effect with alert.target pagerduty")
	}
	return faults
}
