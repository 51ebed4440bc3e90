package tidy

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

func bannedCalls(s source) []string {
	var complaints []string
	ban := func(at token.Pos, format string, args ...any) {
		complaints = append(complaints, s.say(at, format, args...))
	}
	program := s.file.Name.Name == "main"
	s.calls(func(at token.Pos, pkg, member string) {
		call := pkg + "." + member
		switch {
		case pkg == "fmt" && strings.HasPrefix(member, "Print") && !program:
			ban(at, "%s: write to the io.Writer that was given", call)
		case pkg == "log":
			ban(at, "%s: log with the zerolog.Logger that was given", call)
		case call == "os.Exit" && !(program && path.Base(s.path) == "main.go") && !s.test():
			ban(at, "%s: return an error; main gives it an exit code, and a TestMain that returns has that of its tests", call)
		case call == "time.Sleep" && s.test() && !s.in("internal/kafkatest"):
			ban(at, "%s in a test: await the condition with kafkatest.Eventually, or a channel", call)
		}
	})
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Obj == nil {
			switch {
			case id.Name == "panic" && !s.test() && !saysBug(call):
				ban(call.Pos(), `panic: return an error; only what cannot be may panic, with "BUG: …"`)
			case id.Name == "println" || id.Name == "print":
				ban(call.Pos(), "%s: write to the io.Writer that was given", id.Name)
			}
		}
		return true
	})
	return complaints
}

// saysBug tells whether a panic's text begins with BUG:, as a literal or the
// format of a call, such as fmt.Sprintf, or the left of a sum.
func saysBug(call *ast.CallExpr) bool {
	for arg := call.Args[0]; ; {
		switch a := arg.(type) {
		case *ast.BasicLit:
			return strings.HasPrefix(strings.Trim(a.Value, "\"`"), "BUG:")
		case *ast.BinaryExpr:
			arg = a.X
		case *ast.CallExpr:
			if len(a.Args) == 0 {
				return false
			}
			arg = a.Args[0]
		default:
			return false
		}
	}
}

func TestBannedCalls(t *testing.T) { hold(t, bannedCalls) }

func TestCallRuleRefuses(t *testing.T) {
	refuse(t, bannedCalls, "processors/x.go",
		`package x; import "fmt"; func f() { fmt.Println() }`,
		`package x; import "log"; var l = log.Default()`,
		`package x; import "os"; func f() { os.Exit(1) }`,
		`package x; func f() { panic("no") }`,
		`package x; import "fmt"; func f(err error) { panic(fmt.Sprint(err)) }`,
		`package x; func f() { println() }`,
	)
	refuse(t, bannedCalls, "processors/x_test.go", `package x; import "time"; func f() { time.Sleep(1) }`)
	accept(t, bannedCalls, "processors/x.go", `package x; import "fmt"; func f(v int) { panic(fmt.Sprintf("BUG: %d", v)) }; func g(s string) { panic("BUG: " + s) }`)
	accept(t, bannedCalls, "cmd/auditstream/main.go", `package main; import "os"; func main() { os.Exit(run()) }; func run() int { return 0 }`)
}
