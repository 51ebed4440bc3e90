package tidy

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const maxArchitectureLines = 90

var mapped = regexp.MustCompile("(?m)^\\| `([^`]+)/` \\|")

// unmapped complains about folders of Go files that a file map leaves out, and
// about lines of it that name no folder.
func unmapped(page string, folders map[string]bool, exists func(string) bool) []string {
	var complaints []string
	named := map[string]bool{}
	for _, line := range mapped.FindAllStringSubmatch(page, -1) {
		named[line[1]] = true
		if !exists(line[1]) {
			complaints = append(complaints, fmt.Sprintf("docs/ARCHITECTURE.md maps %s/, which is not there", line[1]))
		}
	}
	for folder := range folders {
		if !named[folder] {
			complaints = append(complaints, fmt.Sprintf("docs/ARCHITECTURE.md: no line `%s/`: say in the file map what is in it", folder))
		}
	}
	return complaints
}

func TestEveryPackageIsInTheFileMap(t *testing.T) {
	folders := map[string]bool{}
	for _, s := range sources(t) {
		folders[path.Dir(s.path)] = true
	}
	page := read(t, "docs/ARCHITECTURE.md")
	exists := func(folder string) bool {
		info, err := os.Stat(filepath.Join(root, folder))
		return err == nil && info.IsDir()
	}
	for _, complaint := range unmapped(page, folders, exists) {
		t.Error(complaint)
	}
	if n := strings.Count(page, "\n"); n > maxArchitectureLines {
		t.Errorf("docs/ARCHITECTURE.md has %d lines, at most %d: it is one page", n, maxArchitectureLines)
	}
}

func TestFileMapRuleRefuses(t *testing.T) {
	is := func(folder string) bool { return folder == "a/b" }
	if got := unmapped("| `a/b/` | x |\n| `a/c/` | y |\n", map[string]bool{"a/b": true, "a/d": true}, is); len(got) != 2 {
		t.Errorf("%d complaints, want 2: one folder is missing, one is not there: %v", len(got), got)
	}
}

// What pages link to is there.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):#]+)\)`)
	for _, page := range []string{"README.md", "CHANGELOG.md", "docs/ARCHITECTURE.md"} {
		for _, to := range link.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(filepath.Join(root, path.Dir(page), to[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, to[1])
			}
		}
	}
}
