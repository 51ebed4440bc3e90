package avro

import (
	"slices"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

type kind uint8

const (
	kindFixed  kind = iota // size bytes, which a plan joins where nothing of them is wanted
	kindVarint             // int and long
	kindFloat
	kindDouble
	kindBytes // bytes and string
	kindEnum
	kindRecord
	kindArray
	kindMap
	kindUnion
)

// node is one step of a plan: a value of the schema, and what is wanted of it.
type node struct {
	kind    kind
	leaf    codecs.Leaf // where it goes, when it is a field of a tick
	also    codecs.Leaf // where it goes too
	apart   bool        // its place is noted, as it is no content
	ticks   bool        // an array that holds ticks, or arrays that do
	level   int         // of such an array: how many of them are around it
	index   int         // of such an array: among those of the plan
	wanted  bool        // it, or something within, is a field of a tick
	null    bool        // the type null
	unit    engine.Unit
	local   bool     // a time by a wall clock
	size    int      // of kindFixed
	symbols [][]byte // of kindEnum
	kids    []*node  // fields, branches, or the one item
	keys    []string // of kindMap: names of wanted values, whose nodes are kids[1:]
}

// constant is the size of a value that always has the same; ok is false for
// others.
func (n *node) constant() (size int, ok bool) { return n.size, n.kind == kindFixed && !n.wanted }

// takes sets where the value goes.
func (n *node) takes(wants []codecs.ScalarWant, content bool) {
	for _, w := range wants {
		switch {
		case len(w.Steps) > 0:
			continue
		case w.Leaf == nil:
		case n.leaf == nil:
			n.leaf = w.Leaf
		default:
			n.also = w.Leaf
		}
		n.apart = n.apart || w.Apart && content
	}
}

// says reports whether there is anything in a value but what is noted as no
// content.
func (n *node) says() bool {
	switch {
	case n.apart:
		return false
	case n.leaf != nil:
		return true
	case !n.wanted:
		return n.kind != kindFixed || n.size > 0
	}
	return slices.ContainsFunc(n.kids, (*node).says)
}
