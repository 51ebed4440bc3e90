package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"
)

// Authenticated asks for a name and a password by HTTP's basic scheme before
// anything but /healthz and /readyz, which orchestrators ask for without one.
// With an empty name everybody may ask.
func Authenticated(handler http.Handler, username, password string) http.Handler {
	if username == "" {
		return handler
	}
	wantName, wantPassword := sha256.Sum256([]byte(username)), sha256.Sum256([]byte(password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, given, _ := r.BasicAuth()
		gotName, gotPassword := sha256.Sum256([]byte(name)), sha256.Sum256([]byte(given))
		// Both are compared, in constant time, so that a guess learns nothing.
		right := subtle.ConstantTimeCompare(gotName[:], wantName[:]) & subtle.ConstantTimeCompare(gotPassword[:], wantPassword[:])
		if right == 1 || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="auditstream", charset="UTF-8"`)
		writeError(w, http.StatusUnauthorized, "User cannot access the resource.")
	})
}

// TLS is the side of a server: certificate chain and key are in one PEM file
// and read again when it has changed, so that a renewed certificate needs no
// restart. clientAuth is none, requested or required; clients are held against
// the authorities of a PEM file, the system's where that is "".
func TLS(keystore, truststore, clientAuth string) (*tls.Config, error) {
	pair := &keyPair{path: keystore}
	if _, err := pair.get(nil); err != nil {
		return nil, fmt.Errorf("listeners.https.ssl.keystore.location: %w", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get, NextProtos: []string{"http/1.1"}}
	switch clientAuth {
	case "requested":
		config.ClientAuth = tls.VerifyClientCertIfGiven
	case "required":
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if truststore != "" {
		authorities, err := os.ReadFile(truststore)
		if err == nil {
			config.ClientCAs = x509.NewCertPool()
			if !config.ClientCAs.AppendCertsFromPEM(authorities) {
				err = errors.New("no PEM certificate in " + truststore)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("listeners.https.ssl.truststore.location: %w", err)
		}
	}
	return config, nil
}

// keyPair is a certificate with its key in a file.
type keyPair struct {
	path string

	mu    sync.Mutex
	read  time.Time // modification time of what is held
	asked time.Time
	pair  *tls.Certificate
}

const certificateEvery = 10 * time.Second // how often the file is looked at, at most

// get is the certificate as it stands; a file that cannot be used any more
// leaves the one before in force.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if k.pair != nil && now.Sub(k.asked) < certificateEvery {
		return k.pair, nil
	}
	k.asked = now
	info, err := os.Stat(k.path)
	if err == nil && k.pair != nil && info.ModTime().Equal(k.read) {
		return k.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(k.path, k.path)
	}
	switch {
	case err == nil:
		k.pair, k.read = &pair, info.ModTime()
	case k.pair == nil:
		return nil, err
	}
	return k.pair, nil
}
