package main

import (
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// findingsPage is docs/findings.md, printed from the engine's table.
func findingsPage() string {
	var b strings.Builder
	b.WriteString("# Findings\n\nWhat each code means, how it is judged, and what to do next. Printed from the table in engine/; " +
		"`auditstream explain CODE` says the same. Do not edit: `make docs` writes it.\n\n" +
		"| code | number | severity | one finding is about |\n|---|---|---|---|\n")
	for _, info := range engine.Codes() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %d | %s | %s |\n", info.Name, strings.ToLower(info.Name), info.Code, info.Severity, info.Subject)
	}
	for _, info := range engine.Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n**Judged.** %s\n\n**Next.** %s\n", info.Name, info.Meaning, info.Judged, info.Action)
	}
	return b.String()
}
