package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/auditstream/auditstream/codecs/avro"
	"github.com/auditstream/auditstream/codecs/protobuf"
)

// Rules of keys that name files. A file is looked at when the configuration is
// read, so that a missing one is told with all other faults.
var (
	fileRule = rule{"a file", func(path string) error {
		_, err := contentOf(path)
		return err
	}}
	authoritiesRule = rule{"a PEM file", func(path string) error {
		pem, err := contentOf(path)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(pem) {
			err = fmt.Errorf("%s: holds no certificate in PEM form", path)
		}
		return err
	}}
	keystoreRule = rule{"a PEM file of certificates and their key", func(path string) error {
		pem, err := contentOf(path)
		if err != nil {
			return err
		}
		if _, err := tls.X509KeyPair(pem, pem); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}}
)

// pairFault says what keeps a certificate and the key beside it from being
// used together; "" where nothing does, or one of them has a fault of its own.
func pairFault(certificate, key string) string {
	chain, err := contentOf(certificate)
	secret, err2 := contentOf(key)
	if err != nil || err2 != nil {
		return ""
	}
	if _, err := tls.X509KeyPair(chain, secret); err != nil {
		return fmt.Sprintf("%s with %s: %v", key, certificate, err)
	}
	return ""
}

// inFile is the kind of a client setting that names a file, or nothing.
func inFile(r rule) clientKind {
	return clientKind{"text", r.allowed, func(value string) (string, error) {
		if value == "" {
			return value, nil
		}
		return value, r.check(value)
	}}
}

// contentOf reads a file. Errors name it once. What is no plain file is not
// opened, since a pipe would be waited for.
func contentOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no file", path)
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	var why *fs.PathError
	if errors.As(err, &why) {
		err = fmt.Errorf("%s: %w", path, why.Err)
	}
	return content, err
}

// schemaFileFaults finds schemas in files that cannot be used.
func (c *Config) schemaFileFaults(faulty map[string]bool) (faults []Fault) {
	const avroKey, protobufKey = "value.converter.avro.schema.file", "value.converter.protobuf.descriptor.file"
	fields, err := c.Fields()
	if err != nil {
		return nil // told by its own key
	}
	check := func(key, path string, compile func([]byte) error) {
		content, err := contentOf(path)
		if err == nil {
			if err = compile(content); err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
		}
		if err != nil {
			faults = append(faults, Fault{Key: key, Text: strings.TrimPrefix(err.Error(), key+": ")})
		}
	}
	if c.ValueConverter == "avro" && !faulty[avroKey] {
		for _, path := range c.AvroSchemaFiles {
			check(avroKey, path, func(text []byte) error {
				_, err := avro.Compile(string(text), nil, fields)
				return err
			})
		}
	}
	if c.ValueConverter == "protobuf" && c.ProtobufDescriptorFile != "" && c.ProtobufMessage != "" && !faulty[protobufKey] {
		check(protobufKey, c.ProtobufDescriptorFile, func(set []byte) error {
			_, err := protobuf.CompileDescriptor(set, c.ProtobufMessage, fields)
			return err
		})
	}
	return faults
}
