package security

import (
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/programtest"
)

// someRights takes some of the documented rights away together: each line of
// check names what is missing of its own resource and nothing else. Those
// commands, copied from the table, are all that it takes.
func someRights(t *testing.T, k *kafka) {
	l := login{"bearer", "BEARER", "User:some", k.bearer(t, "some")}
	file := l.configure(t, k, "made")                            // its topics are there: nothing is to be made
	lacking, all := map[string][]string{}, map[string][]string{} // operations, by check
	var has []acl
	resources := 0
	for i, right := range k.documented(t, "made", l.principal) {
		name := checkOf(right)
		if _, known := lacking[name]; !known {
			lacking[name] = nil
			resources++
		}
		all[name] = append(all[name], right.operation)
		switch {
		case right.operation == "Create":
		case (i+resources)%2 == 0:
			lacking[name] = append(lacking[name], right.operation)
		default:
			has = append(has, right)
		}
	}
	k.grant(t, has...)
	found := checks(t, file)
	failing := 0
	for name, operations := range lacking {
		result := found[name]
		if len(operations) == 0 {
			if result.Status != check.OK || result.Action != "" {
				t.Errorf("nothing is missing, but %+v", result)
			}
			continue
		}
		failing++
		if result.Observed == "none" {
			operations = all[name] // it cannot be seen, so nobody knows what is held of it
		}
		var asked []string
		for _, right := range parse(t, result.Action) {
			if checkOf(right) != name || right.principal != l.principal {
				t.Errorf("%s asks for %s of %s", name, right, right.principal)
			}
			asked = append(asked, right.operation)
		}
		slices.Sort(asked)
		slices.Sort(operations)
		want := check.Fail
		if slices.Equal(operations, []string{"DescribeConfigs"}) {
			want = check.Warn
		}
		if result.Status != want || !slices.Equal(asked, operations) {
			t.Errorf("missing is %q, but %+v", operations, result)
		}
	}
	if failing < 4 || failing == resources {
		t.Errorf("%d of %d resources lack something", failing, resources)
	}
	table, _ := programtest.Command(t, patience, "check", "-c", file, "--fail-on", "never").Output()
	var granted []acl
	for line := range strings.Lines(strings.ReplaceAll(string(table), "\\\n", " ")) {
		if _, command, ok := strings.Cut(line, "next: kafka-acls.sh"); ok {
			granted = append(granted, parse(t, "kafka-acls.sh"+command)...)
		}
	}
	k.grant(t, granted...)
	for name, c := range checks(t, file) {
		if strings.HasPrefix(name, "rights") && c.Status != check.OK {
			t.Errorf("after all that was asked for: %s: %s, %s", name, c.Status, c.Observed)
		}
	}
}
