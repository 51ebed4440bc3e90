package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// jaasOption is name="value", the quotes optional, inside escaped by '\'.
var jaasOption = regexp.MustCompile(`(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))`)

// Login is with what a client logs in: a user with a password, or, with
// OAUTHBEARER, a client of an issuer of tokens with its secret.
type Login struct {
	User, Password string
	Tokens         string            // URL where tokens are issued, "" without OAUTHBEARER
	Scope          string            // that tokens are asked for, "" the issuer's own
	Extensions     map[string]string // told to the brokers with each token (KIP-342)
}

// Login returns what sasl.jaas.config says, or the settings of their own where
// it is not given.
func (c Client) Login() (Login, error) {
	bearer := c.Text("sasl.mechanism") == "OAUTHBEARER"
	line := strings.TrimSpace(c.Text("sasl.jaas.config"))
	if line != "" && !bearer {
		return c.jaas(line)
	}
	l := Login{User: c.Text("sasl.username"), Password: c.Text("sasl.password")}
	if !bearer {
		return l, nil
	}
	if line != "" {
		var err error
		if l, err = c.jaas(line); err != nil {
			return Login{}, err
		}
	} else {
		l.User, l.Password = c.Text("sasl.oauthbearer.client.credentials.client.id"), c.Text("sasl.oauthbearer.client.credentials.client.secret")
		l.Scope, l.Extensions = c.Text("sasl.oauthbearer.scope"), map[string]string{}
		for _, pair := range strings.FieldsFunc(c.Text("sasl.oauthbearer.extensions"), func(r rune) bool { return r == ',' || r == ' ' }) {
			name, value, _ := strings.Cut(pair, "=")
			l.Extensions[name] = value
		}
	}
	l.Tokens = c.Text("sasl.oauthbearer.token.endpoint.url")
	return l, nil
}

// loginModules are the login modules by the end of their class name, with the
// mechanisms that they fit and their options for the name and the secret.
var loginModules = []struct{ class, mechanisms, user, secret string }{
	{".PlainLoginModule", "PLAIN", "username", "password"},
	{".ScramLoginModule", "SCRAM-", "username", "password"},
	{".OAuthBearerLoginModule", "OAUTHBEARER", "clientId", "clientSecret"},
}

func (c Client) jaas(line string) (Login, error) {
	class, _, _ := strings.Cut(line, " ")
	mechanism := c.Text("sasl.mechanism")
	for _, module := range loginModules {
		switch {
		case !strings.HasSuffix(class, module.class):
			continue
		case !strings.HasPrefix(mechanism, module.mechanisms):
			return Login{}, fmt.Errorf("its login module does not fit sasl.mechanism %s", mechanism)
		}
		options, l := jaasOptions(line), Login{Extensions: map[string]string{}}
		l.User, l.Password, l.Scope = options[module.user], options[module.secret], options["scope"]
		for name, value := range options {
			if extension, ok := strings.CutPrefix(name, "extension_"); ok {
				l.Extensions[extension] = value
			}
		}
		if l.User == "" || l.Password == "" {
			return Login{}, fmt.Errorf(`it has no %s="…" and %s="…"`, module.user, module.secret)
		}
		return l, nil
	}
	return Login{}, errors.New("its login module is none of PlainLoginModule, ScramLoginModule and OAuthBearerLoginModule")
}

func jaasOptions(line string) map[string]string {
	options := map[string]string{}
	for _, option := range jaasOption.FindAllStringSubmatch(line, -1) {
		value := option[3]
		if value == "" {
			value = regexp.MustCompile(`\\(.)`).ReplaceAllString(option[2], "$1")
		}
		options[option[1]] = value
	}
	return options
}
