package main

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// Whatever ends a command, the last line says what to try.
func TestEveryErrorEndsWithWhatToTry(t *testing.T) {
	for _, test := range []struct {
		command []string
		err     error
		want    string
	}{
		{[]string{"run"}, withTry(errors.New("x"), "this"), "this"},
		{[]string{"run"}, fmt.Errorf("y: %w", withTry(errors.New("x"), "this")), "this"},
		{[]string{"run"}, usagef("x"), "auditstream run --help"},
		{[]string{"replay"}, findingsError{2, "WARNING"}, "auditstream explain CODE"},
		{[]string{"run", "-c", "a.properties"}, errors.New("the broker went away"), "auditstream check -c a.properties"},
		{[]string{"alert"}, withTry(errors.New("the broker went away"), ""), "auditstream check -c FILE"},
		{[]string{"replay"}, &fs.PathError{Op: "open", Path: "out.ndjson", Err: fs.ErrPermission}, "see whether out.ndjson is there, may be used, and has room"},
		{[]string{"check"}, errors.New("x"), "auditstream check --help"},
		{[]string{"version"}, errors.New("x"), "auditstream version --help"},
	} {
		cmd, args, err := plainRoot().Find(test.command)
		if err == nil {
			err = cmd.ParseFlags(args)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := whatToTry(cmd, test.err); got != test.want {
			t.Errorf("%v, %v: got %q, want %q", test.command, test.err, got, test.want)
		}
	}
}
