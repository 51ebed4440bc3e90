package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// jaasOption is name="value", the quotes optional, inside escaped by '\'.
var jaasOption = regexp.MustCompile(`(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))`)

// Credentials returns user name and password, from sasl.jaas.config when it is
// given.
func (c Client) Credentials() (user, password string, err error) {
	line := strings.TrimSpace(c.Text("sasl.jaas.config"))
	if line == "" {
		return c.Text("sasl.username"), c.Text("sasl.password"), nil
	}
	module, _, _ := strings.Cut(line, " ")
	mechanism := c.Text("sasl.mechanism")
	switch {
	case strings.HasSuffix(module, ".PlainLoginModule") && mechanism == "PLAIN":
	case strings.HasSuffix(module, ".ScramLoginModule") && strings.HasPrefix(mechanism, "SCRAM-"):
	case strings.HasSuffix(module, ".PlainLoginModule"), strings.HasSuffix(module, ".ScramLoginModule"):
		return "", "", fmt.Errorf("its login module does not fit sasl.mechanism %s", mechanism)
	default:
		return "", "", errors.New("its login module is neither PlainLoginModule nor ScramLoginModule")
	}
	for _, option := range jaasOption.FindAllStringSubmatch(line, -1) {
		value := option[3]
		if value == "" {
			value = regexp.MustCompile(`\\(.)`).ReplaceAllString(option[2], "$1")
		}
		switch option[1] {
		case "username":
			user = value
		case "password":
			password = value
		}
	}
	if user == "" || password == "" {
		return "", "", errors.New(`it has no username="…" and password="…"`)
	}
	return user, password, nil
}
