package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is the folder of everything that this test run makes.
var scratch string

// TestMain ends the clusters and removes their data, whatever came of the
// tests; it returns, so that the run has the tests' exit code.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "auditstream-faults-")
	if err != nil {
		panic("BUG: no temporary folder: " + err.Error())
	}
	scratch = dir
	m.Run()
	one.end()
	three.end()
	if os.Getenv("AUDITSTREAM_TEST_KEEP") == "" {
		_ = os.RemoveAll(dir)
	}
}

// plain is the program as it is shipped, mined the one that can be told where
// to kill itself.
var (
	plain = sync.OnceValues(func() (string, error) { return build("auditstream") })
	mined = sync.OnceValues(func() (string, error) { return build("auditstream-mined", "-tags", "faultpoints") })
)

func build(name string, flags ...string) (string, error) {
	path := filepath.Join(scratch, name)
	args := append(append([]string{"build"}, flags...), "-o", path, "../../cmd/auditstream")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
