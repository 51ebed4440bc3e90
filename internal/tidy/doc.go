// Package tidy holds the tree to the rules that no compiler knows: which way
// imports point, what the engine may not call, how long a file may be, which
// names and calls are out, that nothing names a machine. It is all tests; each
// failure says what to do in place of what it found, and each rule is shown a
// source that it must refuse.
package tidy
