// Package htmlreport makes one HTML page of the reports of a replay. The page
// is complete in itself: no script, no font, no picture from elsewhere, so it
// opens from a mail or an archive without a network. The same reports give the
// same bytes.
//
// Nothing here judges: what the page says stands in the reports.
package htmlreport
