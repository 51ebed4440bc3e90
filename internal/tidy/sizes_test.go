package tidy

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

const (
	maxFileLines     = 400
	maxFunctionLines = 80
	maxTargets       = 12
	maxReadmeLines   = 100
)

func shortEnough(s source) []string {
	if s.test() {
		return nil
	}
	var complaints []string
	if n := s.line(s.file.FileEnd); n > maxFileLines {
		complaints = append(complaints, s.say(s.file.FileEnd, "%d lines, at most %d: one idea a file", n, maxFileLines))
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFunctionLines {
			complaints = append(complaints, s.say(f.Pos(), "%s has %d lines, at most %d: give its parts names", f.Name.Name, n, maxFunctionLines))
		}
	}
	return complaints
}

func TestFilesAndFunctionsAreShort(t *testing.T) { hold(t, shortEnough) }

func TestSizeRuleRefuses(t *testing.T) {
	refuse(t, shortEnough, "x.go",
		"package x"+strings.Repeat("\n", maxFileLines)+"var v int",
		"package x\nfunc f() {"+strings.Repeat("\n", maxFunctionLines)+"}",
	)
	accept(t, shortEnough, "x.go", "package x\nfunc f() {"+strings.Repeat("\n", maxFunctionLines-1)+"}")
}

var target = regexp.MustCompile(`(?m)^[a-z][a-z-]*:($|[^=])`)

func TestMakefileHasFewTargets(t *testing.T) {
	if n := len(target.FindAllString(read(t, "Makefile"), -1)); n == 0 || n > maxTargets {
		t.Errorf("Makefile has %d targets, at most %d: make a target do the work of two, or call the script itself", n, maxTargets)
	}
}

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > maxReadmeLines {
		t.Errorf("README.md has %d lines, at most %d: the rest belongs in docs/", n, maxReadmeLines)
	}
}
