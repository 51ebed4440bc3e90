// Package view writes findings and reports for a person at a terminal, the
// same way for every command that does so.
//
// It turns values into text and remembers which findings were told already.
// It reads no topic, no clock and no environment: whether colour is wanted is
// an argument.
package view
