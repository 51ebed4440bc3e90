package calendar

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/auditstream/auditstream/internal/nearest"
)

// faults are what is wrong with a calendar file, with the lines where it is
// so.
type faults struct {
	document *yaml.Node // nil: there is no file
	all      []fault
}

type fault struct {
	line int // 0: not known
	text string
	form bool // what stands there is no list, text or mapping as it should be
}

// step leads to a member of a mapping by its name, or to an element of a list
// by its number.
type step any

// add takes an error about what a path leads to; nil is none. what says in
// words where that is.
func (f *faults) add(err error, what string, path ...step) {
	switch many, several := err.(interface{ Unwrap() []error }); {
	case err == nil:
	case several:
		for _, one := range many.Unwrap() {
			f.add(one, what, path...)
		}
	default:
		line, value := f.lines(path)
		told := func(o fault) bool { return o.form && o.line == value }
		if !slices.ContainsFunc(f.all, told) {
			f.all = append(f.all, fault{line: line, text: what + ": " + err.Error()})
		}
	}
}

// lines are those of what the path leads to, as far as it leads: of a member's
// name, and of its value.
func (f *faults) lines(path []step) (line, value int) {
	if f.document == nil || len(f.document.Content) == 0 {
		return 0, 0
	}
	n := f.document.Content[0]
	line, value = n.Line, n.Line
	for _, s := range path {
		key, next := child(n, s)
		if next == nil {
			break
		}
		line, value, n = key.Line, next.Line, next
	}
	return line, value
}

func child(n *yaml.Node, s step) (key, value *yaml.Node) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch s := s.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && s < len(n.Content) {
			return n.Content[s], n.Content[s]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// err is all faults in the order of their lines, nil without any.
func (f *faults) err() error {
	slices.SortStableFunc(f.all, func(a, b fault) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text)) })
	var all []error
	for _, one := range f.all {
		if one.line > 0 {
			one.text = fmt.Sprintf("line %d: %s", one.line, one.text)
		}
		all = append(all, errors.New(one.text))
	}
	return errors.Join(all...)
}

// What the YAML library says of a document that does not fit a Go type.
var (
	unknownField = regexp.MustCompile(`^line (\d+): field (.*) not found in type calendar\.(\w+)$`)
	wrongForm    = regexp.MustCompile("(?s)^line (\\d+): cannot unmarshal (!!\\w+)(?: (`.*`))? into (.+)$")
	anyLine      = regexp.MustCompile(`(?s)^line (\d+): (.*)$`)
)

// Names of what stands in a calendar file.
var (
	mappings = map[string]any{"file": file{}, "market": market{}, "ended": ended{}, "halt": halt{}}
	forms    = map[string]string{"string": "a text", "[]string": "a list of texts", "map[string]string": "a mapping of texts"}
)

// typed takes what the library says, in words of the file.
func (f *faults) typed(said []string) {
	for _, text := range said {
		one := fault{text: text}
		if m := anyLine.FindStringSubmatch(text); m != nil {
			one.line, _ = strconv.Atoi(m[1])
			one.text = m[2]
		}
		if m := unknownField.FindStringSubmatch(text); m != nil {
			one.text = unknown(m[2], m[3])
		} else if m := wrongForm.FindStringSubmatch(text); m != nil {
			wanted := forms[m[4]]
			if wanted == "" {
				wanted = "a mapping or list"
			}
			one.form, one.text = true, strings.TrimSpace(strings.TrimPrefix(m[2], "!!")+" "+m[3])+" stands where "+wanted+" belongs"
		}
		f.all = append(f.all, one)
	}
}

// unknown says of a name that it is none of a mapping's.
func unknown(name, mapping string) string {
	var names []string
	t := reflect.TypeOf(mappings[mapping])
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("yaml"))
	}
	text := fmt.Sprintf("%q is not known there", name)
	if near := nearest.Name(name, names); near != "" {
		return text + "; the nearest is " + near
	}
	return text + ", only " + strings.Join(names, ", ")
}
