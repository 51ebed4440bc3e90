// Package check looks, before an audit is started, whether it could, and
// whether the tick topics are as ticks need them: is the cluster in reach, are
// the rights there, are the topics as they should be, what do the last records
// show, are the audit's groups free, how do the watched groups stand.
//
// It changes nothing on the cluster: it joins no group, makes no topic, not
// even one that brokers make for an answer, and commits nothing.
package check
