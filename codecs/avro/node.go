package avro

import (
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
