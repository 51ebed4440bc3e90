package main

import (
	"path/filepath"
	"runtime/debug"
	"testing"
)

// go build finds the committed profile by itself, and so does the test binary.
func TestBuiltByTheProfile(t *testing.T) {
	t.Parallel()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the binary tells nothing of its build")
	}
	for _, s := range info.Settings {
		if s.Key == "-pgo" && filepath.Base(s.Value) == "default.pgo" {
			return
		}
	}
	t.Errorf("built without cmd/auditstream/default.pgo: %v", info.Settings)
}
