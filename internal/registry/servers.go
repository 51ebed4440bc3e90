package registry

import (
	"fmt"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
)

// OpenFor is the source that a configuration names, nil when it names none.
func OpenFor(c *config.Config, log zerolog.Logger) (*Source, error) {
	if len(c.Registry.URLs) == 0 {
		return nil, nil
	}
	fields, err := c.Fields()
	if err != nil {
		return nil, err
	}
	servers, err := ServersOf(&c.Registry)
	if err != nil {
		return nil, err
	}
	return Open(Options{Servers: servers, Fields: fields, Log: log, GiveUp: c.Client(config.Producer).Millis("delivery.timeout.ms")})
}

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
