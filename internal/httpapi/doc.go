// Package httpapi answers HTTP beside a running audit: is it alive, is it
// ready, and its metrics for Prometheus.
//
// It asks the audit for a status and changes nothing. It opens its own
// listener and its own metrics registry, never the process-wide ones.
package httpapi
