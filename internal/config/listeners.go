package config

import (
	"net"
	"net/url"
	"strings"
)

// listenerFaults finds what is wrong with the keys of HTTP together. Over HTTP
// an audit is paused and stopped, and its symbols are shown: who may do so
// beyond this host is said, and not left to chance.
func (c *Config) listenerFaults() []Fault {
	var faults []Fault
	fault := func(key, text string) { faults = append(faults, Fault{Key: key, Text: text}) }
	https := false
	for address := range strings.SplitSeq(c.RestListeners, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.Host == "" {
			continue
		}
		https = https || u.Scheme == "https"
		if u.Scheme == "http" && !onLoopback(u.Hostname()) && c.RestUsername == "" && c.RestUnprotected != "true" {
			fault("rest.listeners", address+" can be reached from other hosts, and whoever reaches it may stop the audit; set "+
				"rest.basic.auth.username and rest.basic.auth.password, or an https:// address, or, where the network sees to it, rest.unprotected=true")
		}
	}
	if (c.RestUsername == "") != (c.RestPassword == "") {
		fault("rest.basic.auth.password", "rest.basic.auth.username and rest.basic.auth.password go together")
	}
	if https && c.RestKeystore == "" {
		fault("listeners.https.ssl.keystore.location", "an https:// address needs it: a PEM file of certificate chain and key")
	}
	if !https && c.RestClientAuth != "none" {
		fault("listeners.https.ssl.client.auth", "has no effect without an https:// address among rest.listeners")
	}
	return faults
}

// onLoopback reports whether only this host reaches the address. An empty
// host is every address.
func onLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
