package security

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// issuer gives signed tokens to whoever knows the secret, by the grant of
// client credentials; a token's subject is the client's id.
type issuer struct {
	key      *rsa.PrivateKey
	tokenURL string // https, by the same authority as the broker
	keysURL  string // where the broker fetches the key
}

func startIssuer(t *testing.T, a kafkatest.Authority) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	certificate, _ := a.Issue(t, "issuer", net.IPv4(127, 0, 0, 1))
	tokens := httptest.NewUnstartedServer(http.HandlerFunc(i.token))
	tokens.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	tokens.StartTLS()
	t.Cleanup(tokens.Close)
	keys := httptest.NewServer(http.HandlerFunc(i.keys))
	t.Cleanup(keys.Close)
	i.tokenURL, i.keysURL = tokens.URL+"/token", keys.URL+"/keys"
	return i
}

func (i *issuer) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"one","n":%q,"e":%q}]}`,
		encode(i.key.N.Bytes()), encode(big.NewInt(int64(i.key.E)).Bytes()))
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	id, secret, _ := r.BasicAuth()
	if r.FormValue("grant_type") != "client_credentials" || secret != clientSecret {
		w.WriteHeader(http.StatusUnauthorized)
		// An issuer that repeats what it was asked with.
		fmt.Fprintf(w, `{"error":"invalid_client","error_description":"no client %s with %s"}`, id, secret)
		return
	}
	now := time.Now().Unix()
	claims, _ := json.Marshal(map[string]any{"sub": id, "aud": "kafka", "scope": r.FormValue("scope"), "iat": now, "exp": now + 3600})
	token, err := i.sign(claims)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

func (i *issuer) sign(claims []byte) (string, error) {
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","kid":"one","typ":"JWT"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, digest[:])
	return text + "." + encode(signature), err
}
