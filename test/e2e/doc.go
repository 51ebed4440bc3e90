// Package e2e runs the program as users do: the built binary, a real Kafka,
// and producers and subscribers in other languages.
package e2e
