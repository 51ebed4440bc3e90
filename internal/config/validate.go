package config

import (
	"slices"
	"strings"

	"github.com/auditstream/auditstream/topology"
)

// Topology lays out the groups and topics of this configuration.
func (c *Config) Topology() topology.Topology {
	return topology.New(topology.Options{
		Name: c.Name, Topics: c.Topics, AuditTopic: c.AuditTopic, DeadLetterTopic: c.DeadLetterTopic,
	})
}

// Validate checks what concerns several keys together and returns an [*Error]
// with all faults, or nil. [Load] has done it already. It fills in the audit
// topic when none is given.
func (c *Config) Validate() error {
	if err := c.validate(false, nil); err != nil {
		return err
	}
	return nil
}

// validate leaves out what rests on a key that is known to be faulty; the key ""
// stands for a file that could not be read.
func (c *Config) validate(topicsOptional bool, faulty map[string]bool) *Error {
	var faults []Fault
	fault := func(key, text string) {
		faults = append(faults, Fault{key, c.given[key].where, text})
	}
	if c.AuditTopic == "" && len(c.Topics) > 0 {
		c.AuditTopic = topology.AuditTopic(c.Topics[0])
	}
	switch {
	case faulty[""] || faulty["topics"] || faulty["name"] || faulty["audit.topic"] || faulty["errors.deadletterqueue.topic.name"]:
	case len(c.Topics) > 0:
		for _, text := range joined(c.Topology().Validate()) {
			fault("topics", text)
		}
	case !topicsOptional:
		fault("topics", "no topic to audit; name one or more, separated by commas")
	}
	if len(c.BootstrapServers) == 0 && !faulty["bootstrap.servers"] {
		fault("bootstrap.servers", "no broker; name one or more as host:port, separated by commas")
	}
	if c.Name == "" && !faulty["name"] {
		fault("name", "cannot be empty")
	}
	for _, f := range c.fieldFaults(faulty) {
		fault(f.Key, f.Text)
	}
	for _, f := range slices.Concat(c.schemaFaults(), c.schemaFileFaults(faulty), c.listenerFaults()) {
		if !faulty[f.Key] && !faulty[""] {
			fault(f.Key, f.Text)
		}
	}
	for _, scope := range scopes {
		for _, f := range c.clientFaults(scope) {
			fault(scope.String()+".override."+f.Key, f.Text)
		}
	}
	for _, f := range c.alertFaults() {
		if !faulty[f.Key] && !faulty["alert.target"] {
			fault(f.Key, f.Text)
		}
	}
	if len(faults) > 0 {
		return &Error{Faults: faults}
	}
	return nil
}

// clientFaults finds client settings that contradict each other.
func (c *Config) clientFaults(scope Scope) []Fault {
	var faults []Fault
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	client, own := c.Client(scope), c.overrides(scope)
	if scope == Consumer || secured(own) {
		faults = append(faults, securityFaults(client, own)...)
	}
	if scope == Consumer && client.Int("heartbeat.interval.ms") >= client.Int("session.timeout.ms") {
		fault("heartbeat.interval.ms", client.Text("heartbeat.interval.ms")+" is not less than session.timeout.ms, "+client.Text("session.timeout.ms"))
	}
	if scope == Producer && c.ExactlyOnce() && client.Millis("transaction.timeout.ms") <= c.CheckpointInterval {
		fault("transaction.timeout.ms", client.Text("transaction.timeout.ms")+" is not more than checkpoint.interval.ms: no transaction could end in time")
	}
	return faults
}

func securityFaults(client Client, own map[string]string) []Fault {
	var faults []Fault
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	protocol := client.Text("security.protocol")
	sasl := strings.HasPrefix(protocol, "SASL_")
	if sasl {
		faults = append(faults, loginFaults(client)...)
	}
	for _, key := range ClientKeys {
		_, given := own[key.Name]
		switch {
		case !given:
		case strings.HasPrefix(key.Name, "sasl.") && !sasl:
			fault(key.Name, "has no effect with security.protocol "+protocol+"; it needs SASL_PLAINTEXT or SASL_SSL")
		case strings.HasPrefix(key.Name, "sasl.oauthbearer.") && client.Text("sasl.mechanism") != "OAUTHBEARER":
			fault(key.Name, "has no effect with sasl.mechanism "+client.Text("sasl.mechanism")+"; it needs OAUTHBEARER")
		case strings.HasPrefix(key.Name, "ssl.") && !strings.HasSuffix(protocol, "SSL"):
			fault(key.Name, "has no effect with security.protocol "+protocol+"; it needs SSL or SASL_SSL")
		}
	}
	certificate, secret := client.Text("ssl.certificate.location"), client.Text("ssl.key.location")
	if (certificate == "") != (secret == "") {
		fault("ssl.key.location", "ssl.certificate.location and ssl.key.location go together")
	} else if text := pairFault(certificate, secret); text != "" {
		fault("ssl.key.location", text)
	}
	return faults
}

// loginFaults finds what is missing to log in by SASL.
func loginFaults(client Client) (faults []Fault) {
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	protocol, mechanism := client.Text("security.protocol"), client.Text("sasl.mechanism")
	bearer, jaas := mechanism == "OAUTHBEARER", client.Text("sasl.jaas.config") != ""
	if mechanism == "" {
		fault("sasl.mechanism", "security.protocol "+protocol+" needs it: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER")
	}
	login, err := client.Login()
	if jaas && err != nil {
		fault("sasl.jaas.config", err.Error())
		return faults
	}
	incomplete := login.User == "" || login.Password == ""
	switch {
	case incomplete && bearer:
		fault("sasl.oauthbearer.client.credentials.client.id", "OAUTHBEARER needs it and sasl.oauthbearer.client.credentials.client.secret, or sasl.jaas.config")
	case incomplete:
		fault("sasl.username", "security.protocol "+protocol+" needs sasl.username and sasl.password, or sasl.jaas.config")
	}
	if bearer {
		if err := urlRule.check(login.Tokens); err != nil {
			fault("sasl.oauthbearer.token.endpoint.url", "OAUTHBEARER needs it: "+err.Error())
		}
	}
	return faults
}

// joined takes errors.Join apart again.
func joined(err error) []string {
	var texts []string
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			texts = append(texts, one.Error())
		}
	} else if err != nil {
		texts = append(texts, err.Error())
	}
	return texts
}
