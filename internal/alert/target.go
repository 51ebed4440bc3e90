package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
)

// Target is where alerts go.
type Target interface {
	// Send tells alerts, at most Batch of them, no finding twice. Nil says that
	// the target has accepted them all. A [*RefusedError] says that it never
	// will; any other error that it may, later.
	Send(ctx context.Context, alerts []Alert) error
	// Batch is how many alerts one request takes.
	Batch() int
	// Repeats says whether open alerts have to be told again and again, because
	// the target takes silence for their end.
	Repeats() bool
}

// RefusedError is a target's answer that it will not take an alert, however
// often it is sent.
type RefusedError struct {
	URL    string
	Status int
	Answer string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s refuses with %d %s: %s", e.URL, e.Status, http.StatusText(e.Status), e.Answer)
}

// StatusError is an answer that another attempt may better: the target is
// busy, or its address or credentials are wrong and can be put right.
type StatusError struct {
	URL    string
	Status int
	Answer string
	After  time.Duration // as asked for by Retry-After; 0: not
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answers %d %s: %s", e.URL, e.Status, http.StatusText(e.Status), e.Answer)
}

// Try is the next step for whoever reads the error.
func (e *StatusError) Try() string {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "check alert.authorization"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "check alert.url"
	}
	return "see the target's own log"
}

// New makes the target that a configuration names.
func New(c *config.Config) (Target, error) {
	p, err := newPoster(c.Alert)
	if err != nil {
		return nil, err
	}
	name := c.Name
	switch c.Alert.Target {
	case "alertmanager":
		return &alertmanager{poster: p, name: name, urls: c.Alert.URLs, link: c.Alert.Link}, nil
	case "pagerduty":
		return &pagerDuty{poster: p, name: name, url: c.Alert.URLs[0], link: c.Alert.Link, routingKey: c.Alert.RoutingKey}, nil
	case "webhook":
		return &webhook{poster: p, name: name, url: c.Alert.URLs[0]}, nil
	}
	return nil, errors.New("no alert.target")
}

// Probe is an alert of no finding, by which a person sees that alerts arrive.
func Probe(name string, at time.Time) Alert {
	return Alert{StartsAt: at, test: true, Finding: engine.Finding{
		ID: fmt.Sprintf("test-%s-%d", name, at.UnixNano()), State: engine.Opened,
		Severity: engine.Info, Topic: "auditstream-test", FirstOffset: -1, LastOffset: -1,
		FirstTime: engine.Time(at.UnixNano()), LastTime: engine.Time(at.UnixNano()), Count: 1,
		Cause:    "This is a test by auditstream alert --test; nothing is wrong.",
		Action:   "Nothing to do: it resolves by itself.",
		Evidence: map[string]any{"test": true},
	}}
}

// Over is the alert as it is when its finding is over.
func (a Alert) Over(at time.Time) Alert {
	a.Resolved, a.EndsAt, a.Finding.State = true, at, engine.Resolved
	return a
}

// poster sends JSON.
type poster struct {
	client        *http.Client
	authorization string // value of the header Authorization, "" for none
}

func newPoster(c config.Alert) (*poster, error) {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("BUG: the default transport is another one")
	}
	transport = transport.Clone()
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("alert.ssl.ca.location: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("alert.ssl.ca.location: %s holds no certificate in PEM form", c.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &poster{
		client: &http.Client{
			Transport: transport,
			Timeout:   c.Timeout,
			// A redirected POST would become a GET that tells nothing to anybody.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		authorization: c.Authorization,
	}, nil
}

// answerMost bounds what is read and told of an answer.
const answerMost = 500

func (p *poster) post(ctx context.Context, address string, body any, header map[string]string) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("BUG: alert as JSON: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "auditstream")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	if p.authorization != "" {
		request.Header.Set("Authorization", p.authorization)
	}
	server := request.URL.Scheme + "://" + request.URL.Host // the rest may hold a token
	response, err := p.client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", server, err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, answerMost))
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // for the connection's next use
	answer := strings.TrimSpace(string(text))
	if response.StatusCode/100 == 2 {
		return nil
	}
	switch response.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return &RefusedError{server, response.StatusCode, answer}
	}
	after, _ := time.ParseDuration(response.Header.Get("Retry-After") + "s")
	return &StatusError{server, response.StatusCode, answer, after}
}
