package tidy

import (
	"go/ast"
	"path"
	"regexp"
	"testing"
)

// vague are words that say nothing of what a thing does. TopicManager is
// goka's own word for one of its interfaces, Alertmanager a product's name.
var (
	vague     = regexp.MustCompile(`(?i)(util|helper|manager)`)
	others    = regexp.MustCompile(`(?i)(topic|alert)manager`)
	vagueHint = "say what it does, in the field's own terms"
)

func isVague(name string) bool {
	return vague.MatchString(others.ReplaceAllString(name, ""))
}

func clearNames(s source) []string {
	var complaints []string
	if isVague(path.Base(s.path)) || isVague(s.file.Name.Name) {
		complaints = append(complaints, s.say(s.file.Package, "the file or package is named vaguely: %s", vagueHint))
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if isVague(d.Name.Name) {
				complaints = append(complaints, s.say(d.Pos(), "func %s: %s", d.Name.Name, vagueHint))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && isVague(ts.Name.Name) {
					complaints = append(complaints, s.say(ts.Pos(), "type %s: %s", ts.Name.Name, vagueHint))
				}
			}
		}
	}
	return complaints
}

func TestNamesSayWhatThingsDo(t *testing.T) { hold(t, clearNames) }

func TestNameRuleRefuses(t *testing.T) {
	refuse(t, clearNames, "x.go", `package utils`, `package x; type SessionManager int`, `package x; func helper() {}`)
	refuse(t, clearNames, "kafka_util.go", `package x`)
	accept(t, clearNames, "x.go", `package x; type topicManager int; func NewTopicManager() {}; type alertmanager int`)
}

// Every package says in a comment what may be in it.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if folder := path.Dir(s.path); !s.test() {
			documented[folder] = documented[folder] || s.file.Doc != nil
		}
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment: say in doc.go what may and may not be in it", folder)
		}
	}
}
