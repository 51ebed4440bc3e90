package security

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/check"
)

// missingRights takes each documented right away, one at a time: check and run
// say which one is missing and how to grant it.
func missingRights(t *testing.T, k *kafka) {
	full := login{"bearer", "BEARER", "User:full", k.bearer(t, "full")}
	for _, name := range []string{"made", "unmade"} {
		k.makeTopic(t, name+"-ticks")
		k.feed(t, name+"-ticks")
	}
	k.grant(t, k.documented(t, "made", "User:full")...)
	if code, said := run(t, full.configure(t, k, "made")); code != 0 {
		t.Fatalf("with all rights: exit code %d\n%s", code, said)
	}
	for i, missing := range k.documented(t, "made", "User:nobody") {
		user := fmt.Sprintf("lacks-%d", i)
		l := login{"bearer", "BEARER", "User:" + user, k.bearer(t, user)}
		name := "made"
		if missing.operation == "Create" {
			name = "unmade" // where it is, nothing is made, and no other test makes it
		}
		missing := k.documented(t, name, l.principal)[i]
		t.Run(missing.String(), func(t *testing.T) {
			k.grant(t, slices.DeleteFunc(k.documented(t, name, l.principal), func(right acl) bool { return right == missing })...)
			lacks(t, k, l, name, missing)
		})
	}
}

func lacks(t *testing.T, k *kafka, l login, name string, missing acl) {
	t.Helper()
	file := l.configure(t, k, name)
	resource := checkOf(missing)
	result := checks(t, file)[resource]
	want := check.Fail
	if missing.operation == "DescribeConfigs" {
		want = check.Warn
	}
	if result.Status != want || !covers(parse(t, result.Action), missing) {
		t.Errorf("check: %+v", result)
	}
	k.feed(t, name+"-ticks")
	code, said := run(t, file)
	if missing.operation == "DescribeConfigs" {
		if code != 0 || !strings.Contains(said, "DescribeConfigs") || !strings.Contains(said, missing.name) {
			t.Errorf("run: exit code %d\n%s", code, said)
		}
		return
	}
	told := false
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "kafka-acls.sh") {
			told = told || covers(parse(t, line), missing)
		}
	}
	if code != 2 || !told || !strings.Contains(said, resource) {
		t.Errorf("run: exit code %d\n%s", code, said)
	}
}

// checkOf is the name of the check that looks at a right.
func checkOf(right acl) string {
	switch right.kind {
	case "group":
		return "rights on group " + right.name
	case "transactional-id":
		return "rights on transactional ids " + right.name + "*"
	}
	return "rights on topic " + right.name
}

func covers(rights []acl, missing acl) bool {
	for _, right := range rights {
		if right == missing {
			return true
		}
	}
	return false
}
