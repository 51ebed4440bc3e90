package codecs

import (
	"fmt"
	"slices"
	"strings"
)

// Leaf is where a field goes.
type Leaf func(*Scalars) *Scalar

// Element is the step of a path into every element of an array.
const Element = "[]"

// MaxElements is how many arrays within each other a path of a format with a
// schema may lead into.
const MaxElements = 4

// ScalarPath is a field of ticks by the steps of its path.
type ScalarPath struct {
	Any   [][]string // alternatives: the first that a schema has counts
	Leaf  Leaf
	Apart bool // it changes while nothing is said: it is no content
}

// ScalarWant is a field that a schema has, by the steps that are left of its
// path.
type ScalarWant struct {
	Steps []string
	Leaf  Leaf // nil: only its place is wanted
	Apart bool
}

// ScalarPaths are the paths of the fields that ticks have, for formats with a
// schema. A step that ends in [] is one to the array and one, [Element], into
// it.
func (f *Fields) ScalarPaths() (out []ScalarPath, err error) {
	first, last := sequenceRange(f.Sequence)
	kind := f.Kind
	if len(f.kinds()) == 0 {
		kind = ""
	}
	for _, p := range []struct {
		key, paths string
		apart      bool
		leaf       Leaf
	}{
		{"field.symbol", f.Symbol, true, func(s *Scalars) *Scalar { return &s.Symbol }},
		{"field.timestamp", f.Timestamp, true, func(s *Scalars) *Scalar { return &s.Time }},
		{"field.sequence", last, true, func(s *Scalars) *Scalar { return &s.Sequence }},
		{"field.sequence", first, true, func(s *Scalars) *Scalar { return &s.SequenceFirst }},
		{"field.venue", f.Venue, false, func(s *Scalars) *Scalar { return &s.Venue }},
		{"field.halt", f.Halt.Path, false, func(s *Scalars) *Scalar { return &s.Halt }},
		{"field.kind", kind, false, func(s *Scalars) *Scalar { return &s.Kind }},
	} {
		path := ScalarPath{Leaf: p.leaf, Apart: p.apart}
		for _, one := range alternatives(p.paths) {
			steps, err := scalarSteps(one)
			if err != nil {
				return nil, fmt.Errorf("%s %q: %w", p.key, one, err)
			}
			path.Any = append(path.Any, steps)
		}
		if len(path.Any) > 0 {
			out = append(out, path)
		}
	}
	return out, nil
}

// kinds are the kinds of messages that are ticks, none: all messages are.
func (f *Fields) kinds() []string {
	if f.Kind == "" {
		return nil
	}
	return f.Ticks
}

func scalarSteps(path string) (steps []string, err error) {
	arrays := 0
	for i, step := range strings.Split(path, ".") {
		name, array := strings.CutSuffix(step, Element)
		if strings.ContainsAny(name, "[]") {
			return nil, fmt.Errorf("brackets stand at the end of a step and are empty")
		}
		if name == "" && (!array || i > 0) {
			return nil, fmt.Errorf("a step of the path is empty")
		}
		if name != "" {
			steps = append(steps, name)
		}
		if array {
			steps = append(steps, Element)
			arrays++
		}
	}
	if arrays > MaxElements {
		return nil, fmt.Errorf("the path leads into more than %d arrays", MaxElements)
	}
	return steps, nil
}

// ScalarWants are the paths that a schema has, and by level the fields to be
// forgotten before an element of that level: its own and those within. Level 0
// is the record. It fails where fields lie in arrays that are not within each
// other.
func ScalarWants(paths []ScalarPath, has func(steps []string) bool) (wants []ScalarWant, forget [][]Leaf, err error) {
	var chain []string // to the innermost array
	for _, p := range paths {
		leaf := p.Leaf
		for _, steps := range p.Any {
			if !has(steps) {
				continue
			}
			wants = append(wants, ScalarWant{steps, leaf, p.Apart})
			if leaf == nil {
				continue
			}
			to := steps[:innermost(steps)]
			if n := min(len(to), len(chain)); !slices.Equal(to[:n], chain[:n]) {
				return nil, nil, fmt.Errorf("the fields of a tick lie in arrays that are not within each other")
			}
			if len(to) > len(chain) {
				chain = to
			}
			level := elements(steps)
			for len(forget) <= level {
				forget = append(forget, nil)
			}
			for l := range level + 1 {
				forget[l] = append(forget[l], leaf)
			}
			leaf = nil // of the other alternatives
			if !p.Apart {
				break
			}
		}
	}
	return wants, forget, nil
}

// innermost is the number of steps up to and into the last array.
func innermost(steps []string) int {
	for i := len(steps); i > 0; i-- {
		if steps[i-1] == Element {
			return i
		}
	}
	return 0
}

func elements(steps []string) (n int) {
	for _, s := range steps {
		if s == Element {
			n++
		}
	}
	return n
}

// Below are the fields behind one step.
func Below(wants []ScalarWant, step string) (out []ScalarWant) {
	for _, w := range wants {
		if len(w.Steps) > 0 && w.Steps[0] == step {
			out = append(out, ScalarWant{w.Steps[1:], w.Leaf, w.Apart})
		}
	}
	return out
}
