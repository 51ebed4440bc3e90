package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/IBM/sarama"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/auditstream/auditstream/internal/config"
)

// tokens fetches a client's tokens and gives each until it is about to expire.
// Connections that outlive theirs are authenticated anew by the client
// libraries (KIP-368).
type tokens struct {
	source     oauth2.TokenSource
	extensions map[string]string
}

func tokensOf(login config.Login, brokers *tls.Config) *tokens {
	grant := clientcredentials.Config{
		ClientID: login.User, ClientSecret: login.Password, TokenURL: login.Tokens,
		AuthStyle: oauth2.AuthStyleInHeader, // as Kafka's own client
		Scopes:    strings.Fields(login.Scope),
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = issuerTLS(brokers)
	asked := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Timeout: reachTimeout / 2, Transport: transport})
	return &tokens{grant.TokenSource(asked), login.Extensions}
}

// issuerTLS trusts the system's authorities and those of the brokers: an issuer
// is as often a public one as one of the house.
func issuerTLS(brokers *tls.Config) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if brokers == nil || brokers.RootCAs == nil {
		return c
	}
	c.RootCAs = brokers.RootCAs
	c.InsecureSkipVerify = true // the chain is verified below, against either set of authorities
	c.VerifyConnection = func(state tls.ConnectionState) error {
		options := x509.VerifyOptions{DNSName: state.ServerName, Intermediates: x509.NewCertPool()}
		for _, certificate := range state.PeerCertificates[1:] {
			options.Intermediates.AddCert(certificate)
		}
		_, err := state.PeerCertificates[0].Verify(options)
		if err != nil {
			options.Roots = brokers.RootCAs
			_, err = state.PeerCertificates[0].Verify(options)
		}
		return err
	}
	return c
}

// tokenError says that the issuer gave no token.
type tokenError struct {
	err     error
	refused bool // it answered, and does not accept the client
}

func (e *tokenError) Error() string {
	var answer *oauth2.RetrieveError
	if !errors.As(e.err, &answer) {
		return fmt.Sprintf("fetch token: %v", e.err)
	}
	// The body of an answer is the issuer's to choose and may repeat the request.
	text := fmt.Sprintf("fetch token: the issuer answers %s", answer.Response.Status)
	if answer.ErrorCode != "" {
		text += ", " + answer.ErrorCode
	}
	return text
}

func (e *tokenError) Unwrap() error { return e.err }

func (t *tokens) fetch() (string, error) {
	token, err := t.source.Token()
	if err != nil {
		var answer *oauth2.RetrieveError
		refused := errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode/100 == 4
		return "", &tokenError{err, refused}
	}
	return token.AccessToken, nil
}

// Token is what sarama asks for.
func (t *tokens) Token() (*sarama.AccessToken, error) {
	token, err := t.fetch()
	return &sarama.AccessToken{Token: token, Extensions: t.extensions}, err
}

// subject is the claim "sub" of a token, "" when it cannot be read.
func subject(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) < 2 {
		return ""
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var read struct {
		Subject string `json:"sub"`
	}
	_ = json.Unmarshal(claims, &read)
	return read.Subject
}
