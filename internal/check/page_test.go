package check_test

import (
	"testing"

	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/doctest"
)

func TestDocsSecurity(t *testing.T) { doctest.Check(t, "security.md", check.Page()) }
