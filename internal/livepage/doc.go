// Package livepage is the page of a running audit: one document, embedded, that
// needs no network but the audit itself, and /api/v1 behind it. It shows what
// is wrong now and what to do, and follows it by server-sent events.
//
// It is told durable reports and asks for a status; it changes nothing. What it
// keeps and sends is bounded, whatever the number of symbols and partitions.
package livepage
