// Package config reads the configuration of an audit: flat dotted keys, as
// Kafka Connect has them, from a file, the environment and flags.
//
// [Keys] is the one table of keys: type, default, meaning and check of each.
// The reference in docs/configuration.md is printed from it. [Load] tells all
// faults at once, each with the place where the value was given.
//
// No Kafka client is made here; internal/kafka does that from the overrides,
// whose names and values are checked against [ClientKeys].
package config
