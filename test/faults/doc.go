// Package faults holds the built program against what happens to it and to
// Kafka: it is killed at every step of a checkpoint, stopped and woken; brokers
// die, leaders move, topics go and come back; administrators reset offsets.
// Every test compares exact totals and the exact set of findings with what the
// engine alone judges of the same records.
//
// The tests start Kafka clusters of their own, of one broker and of three, from
// the jars in the folder that AUDITSTREAM_TEST_KAFKA_LIBS names (.ci/kafka/start
// fetches them). Without it they are skipped with a line that says so, or fail
// when AUDITSTREAM_TEST_KAFKA_REQUIRED is 1.
package faults
