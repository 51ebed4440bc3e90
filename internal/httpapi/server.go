package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Server answers on one or more listeners until it is closed.
type Server struct {
	http      *http.Server
	listeners []net.Listener
	addresses []string
	failed    chan error
}

// The time that a client may take, so that one that says nothing holds no
// connection for ever.
const (
	headerTimeout = 5 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	closeTimeout  = 5 * time.Second
)

// Start listens on a comma-separated list of addresses, the value of a key of
// the configuration, such as "http://127.0.0.1:8083" and answers with what handler says; port 0 takes any
// free port. Addresses with https:// are answered under secure. Nothing listens
// when an error is returned. An empty list gives a server that listens nowhere.
func Start(key, addresses string, handler http.Handler, secure *tls.Config) (*Server, error) {
	s, err := Listen(key, addresses, handler, secure)
	if err == nil {
		s.Serve()
	}
	return s, err
}

// Listen is the first half of [Start]: it takes the addresses, and lets who
// comes wait for Serve.
func Listen(key, addresses string, handler http.Handler, secure *tls.Config) (*Server, error) {
	s := &Server{
		http: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: headerTimeout,
			WriteTimeout:      writeTimeout,
			IdleTimeout:       idleTimeout,
		},
		failed: make(chan error, 1),
	}
	for _, address := range strings.Split(addresses, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		listener, err := listen(key, address, secure)
		if err != nil {
			s.closeListeners()
			return nil, err
		}
		s.listeners = append(s.listeners, listener)
		scheme, _, _ := strings.Cut(address, "://")
		s.addresses = append(s.addresses, scheme+"://"+listener.Addr().String())
	}
	return s, nil
}

// Serve begins to answer.
func (s *Server) Serve() {
	for _, listener := range s.listeners {
		go s.serve(listener)
	}
}

func listen(key, address string, secure *tls.Config) (net.Listener, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Port() == "" {
		return nil, fmt.Errorf("%s: %q is not http://host:port or https://host:port", key, address)
	}
	if u.Scheme == "https" && secure == nil {
		return nil, fmt.Errorf("%s: %s needs a certificate", key, address)
	}
	listener, err := net.Listen("tcp", u.Host)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &TakenError{key, address, err}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", key, address, err)
	}
	if u.Scheme == "https" {
		listener = tls.NewListener(listener, secure)
	}
	return listener, nil
}

// TakenError is an address that another process listens on.
type TakenError struct {
	Key     string // of the configuration, that holds the address
	Address string
	err     error
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: %s is taken by another process, which may be another audit: %v", e.Key, e.Address, e.err)
}

func (e *TakenError) Unwrap() error { return e.err }

// Try is the next step: any free port, or none.
func (e *TakenError) Try() string {
	u, err := url.Parse(e.Address)
	if err != nil {
		return "another port in " + e.Key
	}
	return fmt.Sprintf("--set %s=%s://%s for any free port, or --set %[1]s= for no HTTP", e.Key, u.Scheme, net.JoinHostPort(u.Hostname(), "0"))
}

func (s *Server) serve(listener net.Listener) {
	err := s.http.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		return
	}
	select {
	case s.failed <- fmt.Errorf("http on %s: %w", listener.Addr(), err):
	default:
	}
}

// Addresses are the addresses that answer, with their real ports.
func (s *Server) Addresses() []string { return s.addresses }

// Failed tells an error that ended a listener before Close.
func (s *Server) Failed() <-chan error { return s.failed }

// Close stops listening, lets requests that are under way end, and cuts those
// that take too long.
func (s *Server) Close() error {
	defer s.closeListeners() // those that were never served
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(err, s.http.Close())
	}
	return nil
}

func (s *Server) closeListeners() {
	for _, listener := range s.listeners {
		listener.Close()
	}
}
