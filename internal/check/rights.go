package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// rights says which rights are there and which are missing, each with the
// command that grants it.
func rights(ctx context.Context, admin *kafka.Admin, c *config.Config, seen *cluster) []Check {
	const name, expected = "rights", "those below"
	asks, err := admin.Authorizer(ctx)
	if err != nil {
		return []Check{unmeasured(name, expected, err)}
	}
	var checks []Check
	if !asks {
		checks = append(checks, Check{name, OK, "everything: the cluster has no authorizer, or no ACLs for this user to need", "enough to audit", ""})
	}
	refused, err := admin.Refusals(ctx, seen.topology, seen.existing())
	if err != nil {
		checks = append(checks, unmeasured("topics to be made", "may be made", err))
	}
	g := grants{ctx, admin, Granting(c.BootstrapServers[0], kafka.Principal(c))}
	if asks {
		checks = append(checks, g.topics(seen, refused)...)
		checks = append(checks, g.groups(seen.topology)...)
		if c.ExactlyOnce() {
			checks = append(checks, g.transactions(seen.topology))
		}
	}
	for _, topic := range seen.topology.Topics {
		if err := refused[topic.Name]; err != nil && !errors.Is(err, kerr.TopicAuthorizationFailed) {
			checks = append(checks, Check{"making of topic " + topic.Name, Fail, err.Error(), "the brokers would make it", "make it by hand as the brokers' rules ask, or change them"})
		}
	}
	return checks
}

// Missing are the rights that the configuration's user lacks for a topology,
// each a failed check. It is what a run that was refused tells.
func Missing(ctx context.Context, c *config.Config, t topology.Topology, transactions bool) []Check {
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return nil
	}
	defer admin.Close()
	seen := &cluster{topology: t}
	if seen.details, err = admin.Describe(ctx, topicNames(t)...); err != nil {
		return nil
	}
	refused, _ := admin.Refusals(ctx, t, seen.existing()) // without an answer: none is known
	g := grants{ctx, admin, Granting(c.BootstrapServers[0], kafka.Principal(c))}
	checks := append(g.topics(seen, refused), g.groups(t)...)
	if transactions {
		checks = append(checks, g.transactions(t))
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return c.Status != Fail })
}

// grants asks for rights and makes the commands that grant them.
type grants struct {
	ctx     context.Context
	admin   *kafka.Admin
	command string // up to the principal
}

// Granting is kafka-acls for a user, up to the operations.
func Granting(bootstrap, principal string) string {
	return fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal %s", bootstrap, quoted(principal))
}

// quoted makes a word safe for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(":._-/@", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (g grants) grant(missing []kmsg.ACLOperation, resource ...string) string {
	return grant(g.command, missing, resource...)
}

// grant completes a command. To read and to write imply to describe, so with
// one of them that is left out.
func grant(command string, missing []kmsg.ACLOperation, resource ...string) string {
	implied := slices.Contains(missing, kmsg.ACLOperationRead) || slices.Contains(missing, kmsg.ACLOperationWrite)
	for _, operation := range missing {
		if operation == kmsg.ACLOperationDescribe && implied {
			continue
		}
		command += " --operation " + operationName(operation)
	}
	for _, word := range resource {
		command += " " + quoted(word)
	}
	return command
}

func operationName(o kmsg.ACLOperation) string {
	switch o {
	case kmsg.ACLOperationRead:
		return "Read"
	case kmsg.ACLOperationWrite:
		return "Write"
	case kmsg.ACLOperationCreate:
		return "Create"
	case kmsg.ACLOperationDescribe:
		return "Describe"
	case kmsg.ACLOperationDescribeConfigs:
		return "DescribeConfigs"
	}
	return o.String()
}

// needed are the operations on a topic that an audit does not start without.
// DescribeConfigs, beyond them, only lets settings be compared.
func needed(t topology.Topology, topic string) []kmsg.ACLOperation {
	operations := []kmsg.ACLOperation{kmsg.ACLOperationDescribe}
	reads, writes := t.Access(topic)
	if reads {
		operations = append(operations, kmsg.ACLOperationRead)
	}
	if writes {
		operations = append(operations, kmsg.ACLOperationWrite)
	}
	return operations
}

func topicNames(t topology.Topology) []string {
	var names []string
	for _, topic := range t.Topics {
		names = append(names, topic.Name)
	}
	return names
}

func (g grants) topics(seen *cluster, refused map[string]error) []Check {
	has, err := g.admin.TopicRights(g.ctx, topicNames(seen.topology)...)
	if err != nil {
		return []Check{unmeasured("rights on topics", "told", err)}
	}
	var checks []Check
	for _, topic := range seen.topology.Topics {
		checks = append(checks, g.topic(topic, needed(seen.topology, topic.Name), has[topic.Name], errors.Is(refused[topic.Name], kerr.TopicAuthorizationFailed)))
	}
	return checks
}

func (g grants) topic(topic topology.Topic, want []kmsg.ACLOperation, has kafka.Rights, mayNotCreate bool) Check {
	result := Check{Name: "rights on topic " + topic.Name, Expected: list(operationNames(want)) + ", DescribeConfigs"}
	settings := kmsg.ACLOperationDescribeConfigs
	switch {
	case !has.Exists && !has.Refused && !topic.Create:
		result.Status, result.Observed = Unknown, "not told of a topic that does not exist"
		result.Action = "see the topic"
		return result
	case !has.Exists && mayNotCreate:
		all := append([]kmsg.ACLOperation{kmsg.ACLOperationCreate}, append(want, settings)...)
		result.Status, result.Observed = Fail, "it may not be made"
		if has.Refused {
			result.Observed = "none"
		}
		result.Expected = "Create, " + result.Expected
		result.Action = g.grant(all, "--topic", topic.Name)
		return result
	case has.Refused:
		result.Status, result.Observed, result.Action = Fail, "none", g.grant(append(want, settings), "--topic", topic.Name)
		return result
	case !has.Exists:
		result.Status, result.Observed = OK, "it may be made; the other rights are told once it is there"
		return result
	case !has.Known:
		result.Status, result.Observed = Unknown, "the broker does not tell them"
		result.Action = g.grant(append(want, settings), "--topic", topic.Name)
		return result
	}
	missing, present := split(want, has)
	result.Observed = "all"
	result.Status = OK
	switch {
	case len(missing) > 0:
		result.Status, result.Observed = Fail, "missing: "+list(operationNames(missing))
	case !has.May(settings):
		result.Status, result.Observed = Warn, "missing: DescribeConfigs, without which settings are not compared"
	}
	if !has.May(settings) {
		missing = append(missing, settings)
	}
	if len(missing) > 0 {
		result.Action = g.grant(missing, "--topic", topic.Name)
		if len(present) > 0 {
			result.Observed += "; present: " + list(operationNames(present))
		}
	}
	return result
}

func split(want []kmsg.ACLOperation, has kafka.Rights) (missing, present []kmsg.ACLOperation) {
	for _, operation := range want {
		if has.May(operation) {
			present = append(present, operation)
		} else {
			missing = append(missing, operation)
		}
	}
	return missing, present
}

func operationNames(operations []kmsg.ACLOperation) []string {
	var names []string
	for _, o := range operations {
		names = append(names, operationName(o))
	}
	return names
}

func (g grants) groups(t topology.Topology) []Check {
	want := []kmsg.ACLOperation{kmsg.ACLOperationDescribe, kmsg.ACLOperationRead}
	var checks []Check
	for _, group := range t.Groups {
		result := Check{"rights on group " + group.Name, OK, "all", list(operationNames(want)), ""}
		has, err := g.admin.GroupRights(g.ctx, group.Name)
		missing, _ := split(want, has)
		switch {
		case err != nil:
			result = unmeasured(result.Name, result.Expected, err)
		case len(missing) > 0:
			result.Status, result.Observed = Fail, "missing: "+list(operationNames(missing))
			result.Action = g.grant(missing, "--group", group.Name)
		}
		checks = append(checks, result)
	}
	return checks
}

func (g grants) transactions(t topology.Topology) Check {
	want := []kmsg.ACLOperation{kmsg.ACLOperationDescribe, kmsg.ACLOperationWrite}
	prefix := t.TransactionalIDs()
	result := Check{"rights on transactional ids " + prefix + "*", OK, "all", list(operationNames(want)), ""}
	command := g.grant(want, "--transactional-id", prefix, "--resource-pattern-type", "prefixed")
	has, err := g.admin.TransactionRights(g.ctx, prefix+"check")
	switch {
	case err != nil:
		result = unmeasured(result.Name, result.Expected, err)
		result.Action = command
	case !has.May(kmsg.ACLOperationWrite):
		result.Status, result.Observed, result.Action = Fail, "missing: Write", command
	}
	return result
}
