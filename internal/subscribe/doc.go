// Package subscribe reads the audit topic the way any subscriber would: read
// committed, without a group, so that reading leaves no trace on the cluster.
//
// It knows Kafka and the report's shape, and nothing of how reports come
// about or what is done with them.
package subscribe
