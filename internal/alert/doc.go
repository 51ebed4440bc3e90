// Package alert carries findings from the audit topic to the people on call:
// to Alertmanager, to PagerDuty or to a webhook.
//
// A finding is one alert from OPENED to RESOLVED, told apart by its
// finding_id. What is open is kept in a compacted topic beside the audit
// topic, and offsets are committed after a target has accepted an alert, so a
// bridge that is killed neither loses an alert nor makes a second one.
//
// It knows the report's shape and the targets' interfaces. It judges nothing.
package alert
