package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A demo that was killed leaves its folder, whose lock nobody holds then. The
// next one removes it, and no other: not that of a demo that runs, nor of one
// that is about to take its lock.
func TestDemoRemovesWhatKilledOnesLeft(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	running, removeRunning, err := demoState()
	if err != nil {
		t.Fatal(err)
	}
	killed, starting := filepath.Join(temp, "auditstream-demo-1"), filepath.Join(temp, "auditstream-demo-2")
	for _, path := range []string{filepath.Join(killed, "slots"), starting, filepath.Join(temp, "auditstream-demos", "x")} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(killed, demoLock), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next, removeNext, err := demoState()
	if err != nil {
		t.Fatal(err)
	}
	is := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	if is(killed) || !is(running) || !is(starting) || !is(next) || !is(filepath.Join(temp, "auditstream-demos", "x")) {
		t.Errorf("killed %v, running %v, starting %v, next %v", is(killed), is(running), is(starting), is(next))
	}
	removeNext()
	removeRunning()
	if is(running) || is(next) {
		t.Error("a demo that has ended left its folder")
	}
}
