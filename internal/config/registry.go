package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Registry is how a schema registry is reached.
type Registry struct {
	URLs              []string // "" none
	CredentialsSource string   // URL, USER_INFO or SASL_INHERIT
	UserInfo          string   // user:password
	TokenSource       string   // "" or STATIC_TOKEN
	Token             string
	CA                string // PEM files
	Truststore        string
	TruststoreType    string
	Certificate, Key  string
	Keystore          string
	KeystoreType      string
	VerifyName        string // https, none or empty
}

// registrySecrets are keys whose values are not shown.
var registrySecrets = map[string]bool{
	"value.converter.basic.auth.user.info": true, "value.converter.bearer.auth.token": true,
}

// Credentials are the user and password of basic authentication, "" for none.
func (r *Registry) Credentials() (user, password string, err error) {
	switch r.CredentialsSource {
	case "USER_INFO":
		user, password, ok := strings.Cut(r.UserInfo, ":")
		if !ok || user == "" {
			return "", "", errors.New("value.converter.basic.auth.user.info: it is user:password")
		}
		return user, password, nil
	}
	for _, address := range r.URLs {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			password, _ := u.User.Password()
			return u.User.Username(), password, nil
		}
	}
	return "", "", nil
}

// Addresses are the URLs without credentials in them.
func (r *Registry) Addresses() []string {
	out := make([]string, len(r.URLs))
	for i, address := range r.URLs {
		out[i] = address
		if u, err := url.Parse(address); err == nil {
			u.User = nil
			out[i] = u.String()
		}
	}
	return out
}

var urlRule = rule{"`http://` or `https://` addresses", func(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no http:// or https:// address", value)
	}
	return nil
}}

// schemaFaults finds converters without a schema to read by, and keys that
// contradict each other.
func (c *Config) schemaFaults() (faults []Fault) {
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	r := &c.Registry
	none := len(r.URLs) == 0
	switch {
	case c.ValueConverter == "avro" && none && len(c.AvroSchemaFiles) == 0:
		fault("value.converter", "avro needs value.converter.schema.registry.url, or value.converter.avro.schema.file for records that name no schema")
	case c.ValueConverter == "protobuf" && none && c.ProtobufDescriptorFile == "":
		fault("value.converter", "protobuf needs value.converter.schema.registry.url, or value.converter.protobuf.descriptor.file for records that name no schema")
	}
	if c.ValueConverter != "avro" && len(c.AvroSchemaFiles) > 0 {
		fault("value.converter.avro.schema.file", "has no effect with value.converter "+c.ValueConverter)
	}
	if (c.ProtobufDescriptorFile == "") != (c.ProtobufMessage == "") {
		fault("value.converter.protobuf.message", "value.converter.protobuf.descriptor.file and value.converter.protobuf.message go together")
	} else if c.ValueConverter != "protobuf" && c.ProtobufMessage != "" {
		fault("value.converter.protobuf.descriptor.file", "has no effect with value.converter "+c.ValueConverter)
	}
	if none && c.AuditValueConverter == "avro" {
		fault("audit.value.converter", "avro needs value.converter.schema.registry.url, where the schema of reports is registered")
	}
	if _, _, err := r.Credentials(); err != nil {
		key, text, _ := strings.Cut(err.Error(), ": ")
		fault(key, text)
	}
	if (r.TokenSource == "") != (r.Token == "") {
		fault("value.converter.bearer.auth.token", "it goes with value.converter.bearer.auth.credentials.source=STATIC_TOKEN")
	}
	if (r.Certificate == "") != (r.Key == "") {
		fault("value.converter.schema.registry.ssl.key.location", "ssl.certificate.location and ssl.key.location go together")
	} else if text := pairFault(r.Certificate, r.Key); text != "" {
		fault("value.converter.schema.registry.ssl.key.location", text)
	}
	return faults
}
