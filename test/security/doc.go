// Package security holds the built program against a Kafka with an authorizer
// and a listener for every way to log in: with exactly the rights that
// docs/security.md lists it checks and audits, and with each of them missing it
// says which, and the command that grants it. What is secret is looked for in
// everything that the program puts out.
//
// The broker is one of its own, from the jars that AUDITSTREAM_TEST_KAFKA_LIBS
// names, as in test/faults.
package security
