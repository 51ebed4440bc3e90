package kafka

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
)

// Principal is the user that the brokers know a client of the configuration
// by, as kafka-acls names it, unless they map names by rules of their own. What
// cannot be known here stands in angle brackets.
func Principal(c *config.Config) string {
	client := c.Client(config.Consumer)
	s, err := securityOf(client)
	user := ""
	switch protocol := client.Text("security.protocol"); {
	case strings.HasPrefix(protocol, "SASL_"):
		user = "<the user of sasl.jaas.config>"
		if s.tokens != nil {
			user = "<the subject of the token>"
			if token, err := s.tokens.fetch(); err == nil && subject(token) != "" {
				user = subject(token)
			}
		} else if err == nil && s.user != "" {
			user = s.user
		}
	case err == nil && s.tls != nil && len(s.tls.Certificates) > 0:
		user = distinguishedName(s.tls.Certificates[0].Certificate[0])
	default:
		user = "ANONYMOUS"
	}
	return "User:" + user
}

// distinguishedName is a certificate's subject in the order and form of RFC
// 2253, as Java prints it.
func distinguishedName(der []byte) string {
	var names pkix.RDNSequence
	certificate, err := x509.ParseCertificate(der)
	if err == nil {
		_, err = asn1.Unmarshal(certificate.RawSubject, &names)
	}
	if err != nil {
		return "<the subject of the client certificate>"
	}
	return names.String()
}
