package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/httpapi"
)

func TestBasicAuthentication(t *testing.T) {
	handler := httpapi.Authenticated(httpapi.Handler(build, running, asked), "ops", "s3cret")
	for _, test := range []struct {
		path, name, password string
		code                 int
	}{
		{"/metrics", "", "", 401}, {"/metrics", "ops", "wrong", 401}, {"/metrics", "other", "s3cret", 401}, {"/nothing", "", "", 401},
		{"/metrics", "ops", "s3cret", 200}, {"/healthz", "", "", 200}, {"/readyz", "", "", 200}, {"/readyz/", "", "", 401},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		if test.name != "" {
			r.SetBasicAuth(test.name, test.password)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != test.code {
			t.Errorf("%v: %d", test, w.Code)
		}
		if w.Code == 401 && (w.Header().Get("WWW-Authenticate") == "" || !strings.Contains(w.Body.String(), `"error_code":401`)) {
			t.Errorf("%v: %v %s", test, w.Header(), w.Body)
		}
	}
}

// keystore writes a new certificate that is its own authority, with its key.
func keystore(t *testing.T, path string, serial int64) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.WriteFile(path, both, 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(both, both)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func TestTLSAndClientCertificates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keystore.pem")
	pair := keystore(t, path, 1)
	secure, err := httpapi.TLS(path, path, "required")
	if err != nil {
		t.Fatal(err)
	}
	s, err := httpapi.Start("rest.listeners", "https://127.0.0.1:0", httpapi.Handler(build, running, asked), secure)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	address := s.Addresses()[0]
	if !strings.HasPrefix(address, "https://") {
		t.Errorf("address %s", address)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	ask := func(certificates ...tls.Certificate) (*http.Response, error) {
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates}}}
		return client.Get(address + "/healthz")
	}
	if response, err := ask(); err == nil {
		response.Body.Close()
		t.Errorf("without a certificate: %s", response.Status)
	}
	response, err := ask(pair)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("with one: %s", response.Status)
	}
}

func TestTLSFilesAreNamedWhenTheyAreWrong(t *testing.T) {
	dir := t.TempDir()
	good, empty := filepath.Join(dir, "good.pem"), filepath.Join(dir, "empty.pem")
	keystore(t, good, 1)
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range [][3]string{
		{filepath.Join(dir, "none.pem"), "", "listeners.https.ssl.keystore.location"},
		{empty, "", "listeners.https.ssl.keystore.location"},
		{good, empty, "listeners.https.ssl.truststore.location"},
	} {
		if _, err := httpapi.TLS(test[0], test[1], "none"); err == nil || !strings.Contains(err.Error(), test[2]) {
			t.Errorf("%v: %v", test, err)
		}
	}
}
