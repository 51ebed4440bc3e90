// Package dlq reads the dead-letter topic, read committed and without a group,
// and puts letters back where their records came from. It shows nothing: that
// is for the commands.
package dlq
