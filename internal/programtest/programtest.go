// Package programtest builds the program once for the tests of a package, and
// runs it as its users do.
package programtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// folder is where the program was built; "": it was not.
var folder string

// Binary is the path of the program, built at the first call.
var Binary = sync.OnceValues(func() (path string, err error) {
	if folder, err = os.MkdirTemp("", "auditstream-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(folder, "auditstream")
	out, err := exec.Command("go", "build", "-o", path, "github.com/auditstream/auditstream/cmd/auditstream").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// Main runs the tests and removes the program, if one of them had it built;
// TestMain calls it.
func Main(m *testing.M) {
	m.Run() // the test program exits with its code
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
}

// Command is the program with these arguments, killed when it outlives the
// limit or the test.
func Command(t *testing.T, limit time.Duration, args ...string) *exec.Cmd {
	t.Helper()
	path, err := Binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	// The tests' own variables would be told as keys that do not exist.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "AUDITSTREAM_") })
	return cmd
}

// Configure writes a properties file of the settings, with a state folder and
// a port of its own, and returns its path.
func Configure(t *testing.T, settings ...string) string {
	t.Helper()
	lines := append([]string{"state.dir=" + t.TempDir(), "rest.listeners=http://127.0.0.1:0"}, settings...)
	file := filepath.Join(t.TempDir(), "audit.properties")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
