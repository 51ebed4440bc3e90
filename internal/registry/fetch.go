package registry

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

var (
	errUnknown = errors.New("the registry does not have the schema")
	errRefused = errors.New("the schema registry refuses the audit")
)

// Servers are the addresses of one registry and how it is reached.
type Servers struct {
	URLs           []string
	User, Password string // basic authentication; "": none
	Token          string // bearer; "": none
	TLS            *tls.Config
}

const answerWithin = 5 * time.Second

func (v *Servers) clients() ([]*sr.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = v.TLS
	client := &http.Client{Transport: transport, Timeout: answerWithin}
	var all []*sr.Client
	for _, url := range v.URLs {
		opts := []sr.ClientOpt{sr.URLs(url), sr.HTTPClient(client), sr.UserAgent("auditstream")}
		if v.User != "" {
			opts = append(opts, sr.BasicAuth(v.User, v.Password))
		}
		if v.Token != "" {
			opts = append(opts, sr.BearerToken(v.Token))
		}
		c, err := sr.NewClient(opts...)
		if err != nil {
			return nil, fmt.Errorf("schema registry %s: %w", url, err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("schema registry: no address")
	}
	return all, nil
}

// each asks the registry's servers in turn until one answers, which may be
// that there is no such thing.
func (s *Source) each(ask func(*sr.Client) error) (err error) {
	for _, c := range s.clients {
		if err = verdict(ask(c)); err == nil || errors.Is(err, errUnknown) {
			return err
		}
	}
	return err
}

// verdict tells what an answer means. "Not found" counts only in a registry's
// own words: any other server at that address says 404 as well.
func verdict(err error) error {
	if err == nil {
		return nil
	}
	if answer, ok := errors.AsType[*sr.ResponseError](err); ok {
		err = fmt.Errorf("%s answers %d: %w", answer.URL, answer.StatusCode, err)
		switch {
		case answer.StatusCode == http.StatusNotFound && answer.ErrorCode/100 == http.StatusNotFound:
			return fmt.Errorf("%w: %w", errUnknown, err)
		case answer.StatusCode == http.StatusUnauthorized, answer.StatusCode == http.StatusForbidden:
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		return err
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("its certificate is not trusted: %w", err)
	}
	return err
}

// definition is a schema as the registry has it, with what it refers to.
type definition struct {
	Schema     sr.Schema
	References []reference // each after those that it needs itself
}

type reference struct {
	Name string // by which the schema calls it
	Text string
}

func (d *definition) same(e *definition) bool { return reflect.DeepEqual(d, e) }

const maxReferences = 1000 // of one schema, with those of its references

func (s *Source) fetch(ctx context.Context, n name) (d definition, err error) {
	err = s.each(func(c *sr.Client) (err error) {
		if n.GUID == [16]byte{} {
			d.Schema, err = c.SchemaByID(ctx, int(n.ID))
			return err
		}
		found, err := c.SchemaByGUID(ctx, guidText(n.GUID))
		d.Schema = found.Schema
		return err
	})
	if err != nil {
		return d, err
	}
	return d, s.references(ctx, &d, d.Schema.References, map[string]bool{})
}

// references adds what is referred to, depth first.
func (s *Source) references(ctx context.Context, d *definition, refs []sr.SchemaReference, seen map[string]bool) error {
	for _, r := range refs {
		if seen[r.Name] {
			continue
		}
		if seen[r.Name] = true; len(seen) > maxReferences {
			return fmt.Errorf("%w: more than %d references", errUnknown, maxReferences)
		}
		var found sr.SubjectSchema
		err := s.each(func(c *sr.Client) (err error) {
			found, err = c.SchemaByVersion(sr.WithParams(ctx, sr.ShowDeleted), r.Subject, r.Version)
			return err
		})
		if err != nil {
			return fmt.Errorf("reference %s, version %d of %s: %w", r.Name, r.Version, r.Subject, err)
		}
		if err := s.references(ctx, d, found.References, seen); err != nil {
			return err
		}
		d.References = append(d.References, reference{r.Name, found.Schema.Schema})
	}
	return nil
}

// guidText is a GUID in its usual spelling.
func guidText(g [16]byte) string {
	h := hex.EncodeToString(g[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
