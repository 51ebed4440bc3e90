package registry

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/internal/config"
)

// guarded is a registry behind TLS that takes one bearer token. It returns its
// address and the file of its authority.
func guarded(t *testing.T, token string) (address, authority string) {
	t.Helper()
	f := newFake(t)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	target, err := url.Parse(f.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	authority = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, authority
}

// A registry behind TLS and a bearer token is reached by the configuration's
// keys; a wrong token is refused at once, and a certificate that is not trusted
// is no answer.
func TestBearerTokenOverTLS(t *testing.T) {
	address, authority := guarded(t, "s3cret")
	const token = "value.converter.bearer.auth.token=${env:"
	source := func(settings ...string) *Source {
		t.Helper()
		c, err := config.Load("", []string{"TOKEN_THAT_IS_TAKEN=s3cret", "TOKEN_THAT_IS_NOT=an0ther"}, append([]string{
			"topics=t", "value.converter=avro", "value.converter.schema.registry.url=" + address, "value.converter.bearer.auth.credentials.source=STATIC_TOKEN",
		}, settings...))
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenFor(c, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	trusted := "value.converter.schema.registry.ssl.ca.location=" + authority
	if got := source(trusted, token+"TOKEN_THAT_IS_TAKEN}").Schema(byID(7)); got.Plan == nil {
		t.Errorf("with the token: %+v", got)
	}
	if err := source(trusted, token+"TOKEN_THAT_IS_NOT}").Await(context.Background(), byID(7)); !errors.Is(err, errRefused) || strings.Contains(err.Error(), "an0ther") {
		t.Errorf("with another token: %v", err)
	}
	stranger := source(token + "TOKEN_THAT_IS_TAKEN}")
	stranger.GiveUpAfter(50 * time.Millisecond)
	if err := stranger.Await(context.Background(), byID(7)); err == nil || !strings.Contains(err.Error(), "certificate is not trusted") {
		t.Errorf("without its authority: %v", err)
	}
}
