// Package check looks, before an audit is started, whether it could: is the
// cluster in reach, are the topics as the audit needs them, is its group free.
//
// It changes nothing on the cluster: it joins no group and makes no topic.
package check
