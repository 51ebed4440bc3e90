// Package connectapi answers the part of Kafka Connect's REST API by which
// its clients (kcctl, AKHQ, Redpanda Console, kafbat, Strimzi) show and drive a
// running audit as a sink connector with one task.
//
// Codes, shapes and words are those of Connect
// (org.apache.kafka.connect.runtime.rest.resources). What an audit cannot do
// over REST, such as taking another configuration, is refused in Connect's
// shape. It knows an audit by an interface only.
package connectapi
