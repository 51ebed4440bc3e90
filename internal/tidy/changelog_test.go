package tidy

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	section  = regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d{2}-\d{2})?$`)
	headings = []string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security", "### Contract"}
)

// The change log is in the form of Keep a Changelog, the newest first, so that
// a release finds its section.
func TestChangelogHasItsForm(t *testing.T) {
	var releases []string
	for line := range strings.Lines(read(t, "CHANGELOG.md")) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "### ") && !slices.Contains(headings, line):
			t.Errorf("%q is none of %q", line, headings)
		case strings.HasPrefix(line, "## "):
			parts := section.FindStringSubmatch(line)
			if parts == nil || (parts[1] == "Unreleased") != (parts[2] == "") {
				t.Errorf("%q is no section: ## [1.2.3] - 2026-01-31", line)
				continue
			}
			releases = append(releases, parts[1])
		}
	}
	if len(releases) == 0 || releases[0] != "Unreleased" || slices.Contains(releases[1:], "Unreleased") {
		t.Errorf("sections %v: Unreleased comes first", releases)
	}
}
