// Package doctest holds generated pages in docs/ against what the code says
// now. Tests that use it are named TestDocs…; `make docs` rewrites the pages.
package doctest

import (
	"os"
	"path/filepath"
	"testing"
)

// EnvUpdate makes [Check] write pages in place of comparing them.
const EnvUpdate = "AUDITSTREAM_UPDATE_DOCS"

// Check compares docs/<page> byte by byte with the wanted content.
func Check(t *testing.T, page, want string) {
	t.Helper()
	path := filepath.Join(repository(t), "docs", page)
	if os.Getenv(EnvUpdate) == "1" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make docs writes it", err)
	}
	if string(got) != want {
		t.Errorf("docs/%s is not what the code says; make docs rewrites it", page)
	}
}

// repository finds the folder of go.mod above the test's working folder.
func repository(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the working folder")
		}
		folder = parent
	}
}
