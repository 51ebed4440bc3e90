package registry

import (
	"fmt"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
)

const sslKeys = "value.converter.schema.registry."

// ServersOf reads how a registry is reached, with the files that are named.
func ServersOf(r *config.Registry) (Servers, error) {
	s := Servers{URLs: r.Addresses(), Token: r.Token}
	var err error
	if s.User, s.Password, err = r.Credentials(); err != nil {
		return s, err
	}
	files := kafka.TLSFiles{
		Authorities: map[string]string{"ssl.ca.location": r.CA, "ssl.truststore.location": r.Truststore},
		Certificate: r.Certificate, Key: r.Key, AnyName: r.VerifyName == "none",
	}
	if r.Keystore != "" {
		files.Certificate, files.Key = r.Keystore, r.Keystore
	}
	if s.TLS, err = files.Config(); err != nil {
		return s, fmt.Errorf("%s%w", sslKeys, err)
	}
	return s, nil
}
