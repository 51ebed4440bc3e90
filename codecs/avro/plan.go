package avro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Plan is a schema compiled for reading ticks. It is immutable, so any number
// of goroutines may share it.
type Plan struct {
	root        *node
	fingerprint [8]byte

	arrays []*node         // that hold ticks, or the arrays that do
	forget [][]codecs.Leaf // by level: fields to be forgotten before an element
	says   bool            // a tick has content, and it is asked for
}

// Compile makes a plan of a schema in Avro's JSON. References are the schemas
// that it names without defining them, each after those that it needs itself.
//
// A step of a path is a field's name in the schema that the record was written
// with, or one of its aliases, or a key of a map; unions are looked through, and
// [] goes into an array. A path that the schema does not have is no error: ticks
// then miss the field.
func Compile(schema string, references []string, f codecs.Fields) (*Plan, error) {
	cache := new(avro.SchemaCache)
	for _, r := range references {
		if _, err := cache.Parse(r); err != nil {
			return nil, fmt.Errorf("referenced schema: %w", err)
		}
	}
	parsed, err := cache.Parse(schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	p := &Plan{}
	c := compiler{plan: p, content: f.Content, named: map[string]*avro.SchemaNode{}, skips: map[string]*node{}}
	root := parsed.Root()
	c.collect(root)
	paths, err := f.ScalarPaths()
	if err != nil {
		return nil, err
	}
	var wants []codecs.ScalarWant
	wants, p.forget, err = codecs.ScalarWants(paths, func(steps []string) bool {
		c.space = ""
		return c.has(root, steps)
	})
	if err != nil {
		return nil, err
	}
	c.space = ""
	if p.root, err = c.node(root, wants); err != nil {
		return nil, err
	}
	p.says = f.Content && p.tick().says()
	h := avro.NewRabin()
	h.Write(parsed.Canonical())
	for i, sum := 0, h.Sum64(); i < len(p.fingerprint); i, sum = i+1, sum>>8 {
		p.fingerprint[i] = byte(sum)
	}
	return p, nil
}

// tick is the value that is a tick: the record, or an element of its innermost
// array.
func (p *Plan) tick() *node {
	tick := p.root
	for _, n := range p.arrays {
		if n.level == len(p.forget)-2 {
			tick = n.kids[0]
		}
	}
	return tick
}

type compiler struct {
	plan    *Plan
	content bool   // places of fields are wanted
	level   int    // arrays around, of those that hold ticks
	space   string // namespace in which names are written
	named   map[string]*avro.SchemaNode
	skips   map[string]*node // named types of which nothing is wanted; they may be recursive
	count   int
}

const maxNodes = 1 << 16 // of one plan; real schemas have hundreds

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

// collect notes the definitions of named types.
func (c *compiler) collect(n *avro.SchemaNode) {
	switch n.Type {
	case "record", "error", "enum", "fixed":
		c.named[fullName(n)] = n
	}
	for i := range n.Fields {
		c.collect(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		c.collect(&n.Branches[i])
	}
	if n.Items != nil {
		c.collect(n.Items)
	}
	if n.Values != nil {
		c.collect(n.Values)
	}
}

func (c *compiler) node(s *avro.SchemaNode, wants []codecs.ScalarWant) (*node, error) {
	if c.count++; c.count > maxNodes {
		return nil, fmt.Errorf("schema: more than %d types", maxNodes)
	}
	out := &node{wanted: len(wants) > 0, unit: unitOf(s.LogicalType), local: strings.HasPrefix(s.LogicalType, "local-")}
	if s.Type != "union" { // whose branches have the value
		out.takes(wants, c.content)
	}
	switch s.Type {
	case "null":
		out.kind, out.null = kindFixed, true
	case "boolean":
		out.kind, out.size = kindFixed, 1
	case "float":
		if out.kind = kindFloat; !out.wanted {
			out.kind, out.size = kindFixed, 4
		}
	case "double":
		if out.kind = kindDouble; !out.wanted {
			out.kind, out.size = kindFixed, 8
		}
	case "int", "long":
		out.kind = kindVarint
	case "bytes", "string":
		out.kind = kindBytes
	case "array":
		return out, c.array(out, s.Items, codecs.Below(wants, codecs.Element))
	case "map":
		return out, c.values(out, s.Values, wants)
	case "union":
		out.kind = kindUnion
		for i := range s.Branches {
			kid, err := c.node(&s.Branches[i], wants)
			if err != nil {
				return nil, err
			}
			out.kids = append(out.kids, kid)
		}
	default:
		return c.namedType(s, out, wants)
	}
	return out, nil
}

// array compiles an array, which holds ticks where a path leads into it.
func (c *compiler) array(out *node, items *avro.SchemaNode, wants []codecs.ScalarWant) error {
	if slices.ContainsFunc(wants, func(w codecs.ScalarWant) bool { return w.Leaf != nil }) {
		out.ticks, out.level, out.index = true, c.level, len(c.plan.arrays)
		c.plan.arrays = append(c.plan.arrays, out)
		c.level++
		defer func() { c.level-- }()
	}
	return c.item(out, kindArray, items, wants)
}

func (c *compiler) item(out *node, k kind, s *avro.SchemaNode, wants []codecs.ScalarWant) error {
	kid, err := c.node(s, wants)
	out.kind, out.kids = k, append(out.kids, kid)
	return err
}

// values compiles a map: the values that are skipped, and one node for each
// key that a path names.
func (c *compiler) values(out *node, s *avro.SchemaNode, wants []codecs.ScalarWant) error {
	if err := c.item(out, kindMap, s, nil); err != nil {
		return err
	}
	for _, w := range wants {
		if len(w.Steps) == 0 || slices.Contains(out.keys, w.Steps[0]) {
			continue
		}
		out.keys = append(out.keys, w.Steps[0])
		if err := c.item(out, kindMap, s, codecs.Below(wants, w.Steps[0])); err != nil {
			return err
		}
	}
	return nil
}

// has says whether a schema has the path, whatever value stands there.
func (c *compiler) has(s *avro.SchemaNode, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	switch s.Type {
	case "union":
		return slices.ContainsFunc(s.Branches, func(b avro.SchemaNode) bool { return c.has(&b, steps) })
	case "array":
		return steps[0] == codecs.Element && c.has(s.Items, steps[1:])
	case "map":
		return steps[0] != codecs.Element && c.has(s.Values, steps[1:])
	case "record", "error":
		at := fieldOf(s, steps[0])
		if at < 0 {
			return false
		}
		outer := c.space
		defer func() { c.space = outer }()
		c.space = s.Namespace
		return c.has(&s.Fields[at].Type, steps[1:])
	}
	d := c.definition(s.Type)
	return d != nil && d.Type == "record" && c.has(d, steps)
}

// namedType compiles a record, enum or fixed, or a reference to one.
func (c *compiler) namedType(s *avro.SchemaNode, out *node, wants []codecs.ScalarWant) (*node, error) {
	name := fullName(s)
	if d := c.definition(s.Type); d != nil {
		s, name = d, fullName(d)
	}
	if !out.wanted {
		if known := c.skips[name]; known != nil {
			return known, nil
		}
		c.skips[name] = out
	}
	switch s.Type {
	case "fixed":
		out.kind, out.size = kindFixed, s.Size
	case "enum":
		out.kind = kindEnum
		for _, symbol := range s.Symbols {
			out.symbols = append(out.symbols, []byte(symbol))
		}
	case "record", "error":
		out.kind = kindRecord
		outer := c.space
		c.space = s.Namespace
		err := c.record(s, out, wants)
		c.space = outer
		return out, err
	default:
		return nil, fmt.Errorf("schema: unknown type %q", s.Type)
	}
	return out, nil
}

// definition is that of a name as it is written: in full, or in the namespace
// around it.
func (c *compiler) definition(name string) *avro.SchemaNode {
	if d := c.named[c.space+"."+name]; d != nil && !strings.Contains(name, ".") {
		return d
	}
	return c.named[name]
}

// record compiles the fields, and joins those that are skipped by a constant
// number of bytes.
func (c *compiler) record(s *avro.SchemaNode, out *node, wants []codecs.ScalarWant) error {
	steps := claims(s, wants)
	for i := range s.Fields {
		kid, err := c.node(&s.Fields[i].Type, codecs.Below(wants, steps[i]))
		if err != nil {
			return err
		}
		if size, ok := kid.constant(); ok && len(out.kids) > 0 {
			if last, constant := out.kids[len(out.kids)-1].constant(); constant && last+size >= 0 {
				out.kids[len(out.kids)-1] = &node{kind: kindFixed, size: last + size}
				continue
			}
		}
		out.kids = append(out.kids, kid)
	}
	if len(out.kids) == 0 && !out.wanted {
		out.kind = kindFixed
	}
	if len(out.kids) == 1 && !out.wanted {
		if size, ok := out.kids[0].constant(); ok {
			out.kind, out.size = kindFixed, size
		}
	}
	return nil
}

// claims says for each field of a record by which step of the paths it goes,
// "" for none, which is no step.
func claims(s *avro.SchemaNode, wants []codecs.ScalarWant) []string {
	steps := make([]string, len(s.Fields))
	for _, w := range wants {
		if len(w.Steps) == 0 {
			continue
		}
		if at := fieldOf(s, w.Steps[0]); at >= 0 {
			steps[at] = w.Steps[0]
		}
	}
	return steps
}

// fieldOf is the field of that name, or that has it for an alias; -1: none.
func fieldOf(s *avro.SchemaNode, step string) int {
	if at := slices.IndexFunc(s.Fields, func(f avro.SchemaField) bool { return f.Name == step }); at >= 0 {
		return at
	}
	return slices.IndexFunc(s.Fields, func(f avro.SchemaField) bool { return slices.Contains(f.Aliases, step) })
}

// unitOf is the unit of a logical type that is a time.
func unitOf(logical string) engine.Unit {
	switch strings.TrimPrefix(logical, "local-") {
	case "timestamp-millis":
		return engine.UnitMillis
	case "timestamp-micros":
		return engine.UnitMicros
	case "timestamp-nanos":
		return engine.UnitNanos
	}
	return engine.UnitAuto
}

// Fingerprint is the schema's CRC-64-AVRO as the single-object encoding
// carries it.
func (p *Plan) Fingerprint() [8]byte { return p.fingerprint }
