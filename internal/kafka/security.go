package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
)

// security is what both client libraries are told about a connection.
type security struct {
	tls            *tls.Config // nil: no TLS
	mechanism      string      // "": no SASL
	user, password string
	tokens         *tokens // nil: no OAUTHBEARER
}

func securityOf(client config.Client) (security, error) {
	var s security
	protocol := client.Text("security.protocol")
	if strings.HasSuffix(protocol, "SSL") {
		var err error
		if s.tls, err = tlsConfig(client); err != nil {
			return s, &Error{true, fmt.Errorf("%s.override: %w", client.Scope, err), "auditstream config docs"}
		}
	}
	if strings.HasPrefix(protocol, "SASL_") {
		login, err := client.Login()
		if err != nil {
			return s, &Error{true, fmt.Errorf("%s.override.sasl.jaas.config: %w", client.Scope, err), "auditstream config docs"}
		}
		s.mechanism, s.user, s.password = client.Text("sasl.mechanism"), login.User, login.Password
		if login.Tokens != "" {
			s.tokens = tokensOf(login, s.tls)
		}
	}
	return s, nil
}

func tlsConfig(client config.Client) (*tls.Config, error) {
	files := TLSFiles{
		Authorities: map[string]string{}, Certificate: client.Text("ssl.certificate.location"), Key: client.Text("ssl.key.location"),
		AnyName: client.Text("ssl.endpoint.identification.algorithm") != "https",
	}
	for _, key := range []string{"ssl.ca.location", "ssl.truststore.location"} {
		files.Authorities[key] = client.Text(key)
	}
	if both := client.Text("ssl.keystore.location"); both != "" {
		files.Certificate, files.Key = both, both
	}
	return files.Config()
}

// TLSFiles are the PEM files of a connection.
type TLSFiles struct {
	Authorities      map[string]string // trusted, by the key that names the file; empty ones and no one: the system's
	Certificate, Key string            // of the client, "": none
	AnyName          bool              // the server's name is not held against its certificate
}

// Config reads the files.
func (f *TLSFiles) Config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	for _, key := range slices.Sorted(maps.Keys(f.Authorities)) {
		path := f.Authorities[key]
		if path == "" {
			continue
		}
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if c.RootCAs == nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s holds no PEM certificate", key, path)
		}
	}
	if f.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate %s: %w", f.Certificate, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if f.AnyName {
		c.InsecureSkipVerify = true // the chain is still verified, only the name is not
		c.VerifyConnection = verifyChain(c.RootCAs)
	}
	return c, nil
}

// verifyChain is crypto/tls's own check without the host name.
func verifyChain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		intermediates := x509.NewCertPool()
		for _, certificate := range state.PeerCertificates[1:] {
			intermediates.AddCert(certificate)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates})
		return err
	}
}
