package tidy

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// notInEngine names what would make the same rows give other findings, or tie
// the engine to a program: with what to do instead.
var notInEngine = map[string]string{
	"bufio":         "take bytes or ticks; callers read",
	"context":       "return; callers cancel between calls",
	"crypto/rand":   "take what varies as an argument",
	"embed":         "keep tables as Go values",
	"flag":          "take limits; cmd reads flags",
	"io":            "take bytes; callers read and write",
	"io/fs":         "take bytes; callers read files",
	"log":           "return a finding",
	"log/slog":      "return a finding",
	"math/rand":     "take what varies as an argument",
	"math/rand/v2":  "take what varies as an argument",
	"net":           "take data; callers talk to networks",
	"net/http":      "take data; callers talk to networks",
	"os":            "take data; callers know files and environment",
	"os/exec":       "take data; callers run programs",
	"path/filepath": "take bytes; callers read files",
	"reflect":       "name the types",
	"runtime":       "keep to values",
	"sync":          "leave locks to the caller, who owns the partition",
	"sync/atomic":   "leave locks to the caller, who owns the partition",
	"syscall":       "take data; callers know the system",
	"testing":       "keep tests in _test.go",
	"unsafe":        "copy, or change the type",
}

// clocks are the members of package time that read or wait for a clock.
var clocks = "Now Since Until After AfterFunc Sleep Tick NewTimer NewTicker "

func pureEngine(s source) []string {
	if !s.in("engine") || s.test() {
		return nil
	}
	var complaints []string
	for _, spec := range s.file.Imports {
		pkg := strings.Trim(spec.Path.Value, `"`)
		if instead := notInEngine[pkg]; instead != "" {
			complaints = append(complaints, s.say(spec.Pos(), "the engine may not import %s: %s", pkg, instead))
		}
	}
	s.calls(func(at token.Pos, pkg, member string) {
		if pkg == "time" && strings.Contains(clocks, member+" ") {
			complaints = append(complaints, s.say(at, "the engine may not use time.%s: take now in nanoseconds as an argument", member))
		}
	})
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.ChanType:
			complaints = append(complaints, s.say(n.Pos(), "no goroutines or channels in the engine: its callers own the concurrency"))
		}
		return true
	})
	return complaints
}

func TestEngineIsPure(t *testing.T) { hold(t, pureEngine) }

func TestEngineRuleRefuses(t *testing.T) {
	refuse(t, pureEngine, "engine/x.go",
		`package engine; import "os"; var _ = 1`,
		`package engine; import clock "time"; var t = clock.Now()`,
		`package engine; import "time"; var f = time.Since`,
		`package engine; func f() { go f() }`,
		`package engine; import "math/rand/v2"`,
	)
	accept(t, pureEngine, "engine/x.go", `package engine; import "time"; const minute = int64(time.Minute); func f(time struct{ Now int }) int { return time.Now }`)
	accept(t, pureEngine, "engine/x_test.go", `package engine; import "os"`)
	accept(t, pureEngine, "internal/x/x.go", `package x; import "os"`)
}
