// Package kafkatest runs one test on several brokers: franz-go's in-process
// kfake always, and a real Kafka when its address is given in
// AUDITSTREAM_TEST_KAFKA (host:port, several with commas).
//
// Without an address the real half is skipped with a line that names the
// variable; with AUDITSTREAM_TEST_KAFKA_REQUIRED=1 it fails instead, so that a
// build which should have had a broker cannot be green without one.
//
// Here live clusters, topics, groups and clients for tests, and waiting for a
// condition. Nothing here knows ticks or findings, and only tests import it.
package kafkatest
