package converter

import (
	"testing"

	"github.com/auditstream/auditstream/internal/doctest"
)

func TestDocsFormats(t *testing.T) { doctest.Check(t, "formats.md", Page()) }
