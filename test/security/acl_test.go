package security

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// acl is one right: one operation on one resource.
type acl struct {
	principal string
	kind      string // topic, group, transactional-id
	name      string
	prefixed  bool
	operation string
}

func (a acl) String() string { return a.operation + " on " + a.kind + " " + a.name }

// parse reads a kafka-acls command as a shell and that tool would. What it does
// not know is a failure.
func parse(t *testing.T, command string) (rights []acl) {
	t.Helper()
	words := split(command)
	if len(words) == 0 || words[0] != "kafka-acls.sh" {
		t.Fatalf("not a kafka-acls command: %s", command)
	}
	var principal string
	var operations []string
	var resources []acl
	prefixed := false
	for i := 1; i < len(words); i++ {
		if words[i] == "--add" {
			continue
		}
		if i+1 == len(words) {
			t.Fatalf("%s: %s has no value", command, words[i])
		}
		value := words[i+1]
		switch words[i] {
		case "--bootstrap-server":
		case "--allow-principal":
			principal = value
		case "--operation":
			operations = append(operations, value)
		case "--topic", "--group", "--transactional-id":
			resources = append(resources, acl{kind: words[i][2:], name: value})
		case "--resource-pattern-type":
			prefixed = value == "prefixed"
		default:
			t.Fatalf("%s: unknown word %s", command, words[i])
		}
		i++
	}
	for _, r := range resources {
		for _, operation := range operations {
			rights = append(rights, acl{principal, r.kind, r.name, prefixed, operation})
		}
	}
	return rights
}

// split splits at blanks; single quotes hold words together.
func split(command string) (words []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

func (a acl) pattern() kmsg.ACLResourcePatternType {
	if a.prefixed {
		return kmsg.ACLResourcePatternTypePrefixed
	}
	return kmsg.ACLResourcePatternTypeLiteral
}

// known reports whether the broker's authorizer has a right.
func known(ctx context.Context, client *kgo.Client, right acl) bool {
	request := kmsg.NewPtrDescribeACLsRequest()
	operation, err := kmsg.ParseACLOperation(right.operation)
	request.ResourceType, request.ResourceName, request.ResourcePatternType = kinds[right.kind], &right.name, right.pattern()
	request.Principal, request.Operation, request.PermissionType = &right.principal, operation, kmsg.ACLPermissionTypeAllow
	if err != nil {
		return false
	}
	response, err := request.RequestWith(ctx, client)
	return err == nil && len(response.Resources) > 0
}

var kinds = map[string]kmsg.ACLResourceType{
	"topic": kmsg.ACLResourceTypeTopic, "group": kmsg.ACLResourceTypeGroup, "transactional-id": kmsg.ACLResourceTypeTransactionalId,
}

func createACLs(ctx context.Context, client *kgo.Client, rights []acl) error {
	request := kmsg.NewPtrCreateACLsRequest()
	for _, right := range rights {
		creation := kmsg.NewCreateACLsRequestCreation()
		operation, err := kmsg.ParseACLOperation(right.operation)
		if err != nil {
			return fmt.Errorf("%s: %w", right, err)
		}
		creation.ResourceType, creation.ResourceName, creation.ResourcePatternType = kinds[right.kind], right.name, right.pattern()
		creation.Principal, creation.Host = right.principal, "*"
		creation.Operation, creation.PermissionType = operation, kmsg.ACLPermissionTypeAllow
		request.Creations = append(request.Creations, creation)
	}
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for i, result := range response.Results {
		if err := kerr.ErrorForCode(result.ErrorCode); err != nil {
			return fmt.Errorf("%s: %w", rights[i], err)
		}
	}
	return nil
}
