package codecs

import "github.com/auditstream/auditstream/engine"

// ReportForm is how reports are written to the audit topic. The zero value is
// JSON.
type ReportForm struct {
	ContentType string
	Encode      func(*engine.Report) ([]byte, error)
}

// Fit is the report in at most limit bytes, cut as [FitReport] cuts.
func (f ReportForm) Fit(r *engine.Report, limit int) ([]byte, error) {
	if f.Encode == nil {
		return FitReport(r, limit)
	}
	return fitReport(r, limit, f.Encode)
}

// Headers are [ReportHeaders] with the form's content type.
func (f ReportForm) Headers(r *engine.Report) []Header {
	headers := ReportHeaders(r)
	for i := range headers {
		if headers[i].Key == contentType && f.ContentType != "" {
			headers[i].Value = []byte(f.ContentType)
		}
	}
	return headers
}
