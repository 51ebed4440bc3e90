package tidy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// source is one parsed Go file; its path is relative to the root, with slashes.
type source struct {
	path string
	set  *token.FileSet
	file *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) in(folder string) bool {
	return strings.HasPrefix(s.path, folder+"/")
}

func (s source) line(p token.Pos) int { return s.set.Position(p).Line }

// say makes one complaint: where, what, and what to do instead.
func (s source) say(at token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", s.path, s.line(at), fmt.Sprintf(format, args...))
}

// imports tells the package that a local name stands for, "" when none.
func (s source) imports(local string) string {
	for _, spec := range s.file.Imports {
		full := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == local {
			return full
		}
	}
	return ""
}

// calls visits every use of a package's member, called or not.
func (s source) calls(visit func(at token.Pos, pkg, member string)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// A resolved identifier is a local variable, not a package.
		if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
			if pkg := s.imports(id.Name); pkg != "" {
				visit(sel.Pos(), pkg, sel.Sel.Name)
			}
		}
		return true
	})
}

func parse(name string, src any) (source, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments)
	return source{path: name, set: set, file: file}, err
}

// files gives every file of the tree, what is built or fetched left out.
func files(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "bin" || name == "__pycache__" || name == "target" {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sources parses every Go file of the tree, nested modules included.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			continue
		}
		s, err := parse(name, read(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, s)
	}
	return all
}

// rule gives its complaints about one file.
type rule func(source) []string

func hold(t *testing.T, r rule) {
	t.Helper()
	for _, s := range sources(t) {
		for _, complaint := range r(s) {
			t.Error(complaint)
		}
	}
}

// refuse shows a rule sources that it must complain about, once each, and
// hides from it nothing: a rule that cannot fail is no rule.
func refuse(t *testing.T, r rule, name string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		s, err := parse(name, body)
		if err != nil {
			t.Fatalf("%v in %q", err, body)
		}
		if got := r(s); len(got) != 1 {
			t.Errorf("%d complaints about %q, want 1: %v", len(got), body, got)
		}
	}
}

func accept(t *testing.T, r rule, name, body string) {
	t.Helper()
	s, err := parse(name, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range r(s) {
		t.Errorf("about %q: %s", body, complaint)
	}
}
