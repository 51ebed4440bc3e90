package check

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/topology"
)

// Page is docs/security.md.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	t := topology.New(topology.Options{Name: "prices", Topics: []string{"ticks"}, DeadLetterTopic: "ticks.dead"})
	names, command := topology.NamesOf("prices"), Granting("kafka:9092", "User:auditstream")
	section := func(title, text string, commands ...string) {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n```sh\n%s\n```\n", title, text, strings.Join(commands, "\n"))
	}
	const read, write, configs = kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribeConfigs
	ops := func(o ...kmsg.ACLOperation) []kmsg.ACLOperation { return o }
	section("run, check", "With `processing.guarantee=at_least_once` the last one is not needed.", Commands(command, t, true)...)
	section("run, check: consumer.lag.groups", "They see of other groups those that it may describe, and their lag on topics that it may describe.",
		grant(command, ops(kmsg.ACLOperationDescribe), "--group", "strategy-", "--resource-pattern-type", "prefixed"))
	section("replay", "No group, nothing is written; the second one is for `--publish`.",
		grant(command, ops(read, configs), "--topic", "ticks"),
		grant(command, ops(write, configs), "--topic", topology.AuditTopic("ticks")))
	section("watch", "No group.", grant(command, ops(read), "--topic", topology.AuditTopic("ticks")))
	section("alert", "A group and a table of its own.", Commands(command, topology.Alerting("prices", topology.AuditTopic("ticks")), false)...)
	section("dlq", "`list` needs the first one, `replay` both.",
		grant(command, ops(read), "--topic", "ticks.dead"), grant(command, ops(write), "--topic", "ticks"))
	fmt.Fprintf(&b, pageTail, names.Table)
	return b.String()
}

// Commands are the kafka-acls commands that grant a topology its least rights,
// one for the resources that need the same.
func Commands(command string, t topology.Topology, transactions bool) []string {
	var commands []string
	resources := map[string][]string{}
	add := func(operations []kmsg.ACLOperation, resource ...string) {
		key := grant(command, operations)
		if resources[key] == nil {
			commands = append(commands, key)
		}
		resources[key] = append(resources[key], resource...)
	}
	for _, topic := range t.Topics {
		operations := append(needed(t, topic.Name), kmsg.ACLOperationDescribeConfigs)
		if topic.Create {
			operations = append([]kmsg.ACLOperation{kmsg.ACLOperationCreate}, operations...)
		}
		add(operations, "--topic", topic.Name)
	}
	for _, group := range t.Groups {
		add([]kmsg.ACLOperation{kmsg.ACLOperationRead}, "--group", group.Name)
	}
	for i, key := range commands {
		commands[i] = grant(key, nil, resources[key]...)
	}
	if transactions {
		commands = append(commands, grant(command, []kmsg.ACLOperation{kmsg.ACLOperationWrite},
			"--transactional-id", t.TransactionalIDs(), "--resource-pattern-type", "prefixed"))
	}
	return commands
}

const pageHead = `# Security

## Connections

Settings of the connection are Kafka's own, given for the consumer; the producer and the requests about topics and groups
have the same, unless they have some of their own. Both client libraries of the program, franz-go and sarama, are tried
with each of these against a Kafka in CI, with an authorizer on.

| mode | settings, each behind ` + "`consumer.override.`" + ` |
|---|---|
| SASL/PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 | ` + "`security.protocol=SASL_SSL`, `sasl.mechanism`, `sasl.username`, `sasl.password`" + ` |
| the same by a JAAS line | ` + "`sasl.jaas.config=…ScramLoginModule required username=\"…\" password=\"${file:/run/secrets/kafka:password}\";`" + ` |
| SASL/OAUTHBEARER | ` + "`sasl.mechanism=OAUTHBEARER`, `sasl.oauthbearer.token.endpoint.url`, `sasl.oauthbearer.client.credentials.client.id` and `.client.secret`, `sasl.oauthbearer.scope`" + ` |
| TLS | ` + "`security.protocol=SSL`, `ssl.ca.location`" + ` |
| mutual TLS | those, and ` + "`ssl.keystore.location`" + `: certificate chain and key in one PEM file; or ` + "`ssl.certificate.location`, `ssl.key.location`" + ` |

A token is fetched again before it expires, and connections are authenticated anew when the brokers ask for it (KIP-368).
The issuer's certificate is held against the system's authorities and those of ` + "`ssl.ca.location`" + `.

## Secrets

Write secrets as references, ` + "`${file:/path:key}` or `${env:NAME}`" + `: a literal one is refused on the command line. Their
values are in no log, at no level, in no metric, answer of REST, report or output of ` + "`config`" + `. Files that hold them are
read once, at the start; ` + "`listeners.https.ssl.*`" + ` are read again when they change.

## Known vulnerabilities

` + "`.ci/vulnerabilities`" + ` runs govulncheck over what the program can reach, by a database that is pinned; the whole check
fails for a module's. Those of the standard library go with the Go that builds: build with 1.26.10 or newer, as
` + "`compose/Dockerfile`" + ` does. A release is refused while either has one.

## Rights

The least rights for a cluster with an authorizer, of an audit with ` + "`name=prices`, `topics=ticks`" + ` and
` + "`errors.deadletterqueue.topic.name=ticks.dead`" + `. ` + "`auditstream check`" + ` prints those that are missing for yours, with the user
that the connection has: of mutual TLS the certificate's subject, of a token its ` + "`sub`" + `.

- To read or to write implies to describe.
- ` + "`Create`" + ` is needed until the topics are there; who makes them by hand (` + "[topology.md](topology.md)" + `) leaves it out.
- Without ` + "`DescribeConfigs`" + ` the audit runs and warns: settings are not compared, nor are the limits of messages known.
- Brokers before 2.8 also want ` + "`--operation IdempotentWrite --cluster`" + `.
`

const pageTail = `
When a topic grows while it is audited, ` + "`%s`" + ` has to grow with it: with ` + "`--operation Alter`" + ` on that
table the audit does it, without it the audit ends with the command that does.
`
