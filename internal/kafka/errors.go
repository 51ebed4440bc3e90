package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Error is what keeps an audit from starting.
type Error struct {
	Configuration bool // true: exit 2, it will not go away by itself; false: exit 1
	Err           error
	Next          string // what to try
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Try is the next step for the user.
func (e *Error) Try() string { return e.Next }

// refusedBecause says for an answer of the cluster what the configuration has
// to do with it; false when the cluster itself is at fault.
func refusedBecause(err error) (next string, configuration bool) {
	var (
		unknownAuthority x509.UnknownAuthorityError
		hostname         x509.HostnameError
		certificate      *tls.CertificateVerificationError
		record           tls.RecordHeaderError
		remote           *net.OpError
		firstRead        *kgo.ErrFirstReadEOF
		token            *tokenError
	)
	switch {
	case errors.As(err, &token):
		return "check sasl.oauthbearer.token.endpoint.url, and the id and secret of the client, of consumer.override.*", token.refused
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return "check user and password, or the token's issuer, of consumer.override.sasl.*", true
	case errors.Is(err, kerr.UnsupportedSaslMechanism), errors.Is(err, kerr.IllegalSaslState):
		return "check security.protocol and sasl.mechanism of consumer.override.*", true
	case errors.As(err, &unknownAuthority):
		return "give the authority that signed the broker's certificate as consumer.override.ssl.ca.location", true
	case errors.As(err, &hostname):
		return "use a name of the broker that its certificate carries", true
	case errors.As(err, &certificate), errors.As(err, &remote) && remote.Op == "remote error": // a TLS alert
		return "check the ssl.* settings of consumer.override.*", true
	case errors.As(err, &record), errors.As(err, &firstRead):
		return "check whether the broker's port wants TLS or SASL: consumer.override.security.protocol", true
	case Unauthorized(err):
		return "grant the user the missing right: docs/security.md lists those of each command, auditstream check what run lacks", true
	}
	return "", false
}

// Unauthorized reports whether an answer of either client library says that the
// user lacks a right.
func Unauthorized(err error) bool {
	return slices.ContainsFunc([]error{
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed,
		sarama.ErrTopicAuthorizationFailed, sarama.ErrGroupAuthorizationFailed, sarama.ErrClusterAuthorizationFailed,
		sarama.ErrTransactionalIDAuthorizationFailed,
	}, func(refusal error) bool { return errors.Is(err, refusal) })
}

// asError wraps an error of a request.
func asError(err error) error {
	if err == nil {
		return nil
	}
	next, configuration := refusedBecause(err)
	if next == "" {
		next = "auditstream check"
	}
	return &Error{configuration, err, next}
}
