package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"
)

// clientKind is how a client setting is read: check returns the value in its
// one spelling.
type clientKind struct {
	Type    string
	Allowed string
	check   func(value string) (string, error)
}

var anything = clientKind{"text", "", func(value string) (string, error) { return value, nil }}

func words(allowed ...string) clientKind {
	shown := make([]string, len(allowed))
	for i, word := range allowed {
		shown[i] = word
		if word == "" {
			shown[i] = "empty"
		}
	}
	return clientKind{"word", strings.Join(shown, ", "), func(value string) (string, error) {
		for _, word := range allowed {
			if strings.EqualFold(word, value) {
				return word, nil
			}
		}
		return "", notOneOf(value, shown)
	}}
}

func refused(why string) clientKind {
	return clientKind{"", "not allowed: " + why, func(string) (string, error) { return "", errors.New("not allowed: " + why) }}
}

func duration(least int64) clientKind { return number("milliseconds", least) }

func size(least int64) clientKind { return number("bytes", least) }

// number fits Kafka's own type for such settings, a signed 32-bit integer.
func number(unit string, least int64) clientKind {
	return clientKind{unit, fmt.Sprintf("at least %d", least), func(value string) (string, error) {
		n, err := parseInteger(value, least, math.MaxInt32)
		return strconv.FormatInt(n, 10), err
	}}
}

// Client is the settings of one client, checked, with defaults and with what
// it inherits from the consumer.
type Client struct {
	Scope    Scope
	settings map[string]string
}

// Client returns the settings for one of [Consumer], [Producer] and [Admin].
func (c *Config) Client(scope Scope) Client {
	settings := map[string]string{}
	for _, key := range ClientKeys {
		if key.Scopes&scope != 0 {
			settings[key.Name] = key.Default
		}
	}
	own := c.overrides(scope)
	if !secured(own) {
		for name, value := range c.Consumer {
			if key, ok := clientKey(name); ok && key.inherited() {
				settings[name] = value
			}
		}
	}
	maps.Copy(settings, own)
	client := Client{scope, settings}
	if _, given := own["heartbeat.interval.ms"]; scope == Consumer && !given {
		client.setMillis("heartbeat.interval.ms", min(client.Millis("heartbeat.interval.ms"), client.Millis("session.timeout.ms")/3))
	}
	if _, given := own["transaction.timeout.ms"]; scope == Producer && !given {
		client.setMillis("transaction.timeout.ms", max(client.Millis("transaction.timeout.ms"), 2*c.CheckpointInterval))
	}
	return client
}

func (c Client) setMillis(name string, d time.Duration) {
	c.settings[name] = strconv.FormatInt(d.Milliseconds(), 10)
}

func (c *Config) overrides(scope Scope) map[string]string {
	switch scope {
	case Consumer:
		return c.Consumer
	case Producer:
		return c.Producer
	}
	return c.Admin
}

// secured says whether a client has connection settings of its own.
func secured(settings map[string]string) bool {
	for name := range settings {
		if strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "sasl.") || strings.HasPrefix(name, "ssl.") {
			return true
		}
	}
	return false
}

// Text returns a setting as it was given, or its default.
func (c Client) Text(name string) string {
	value, ok := c.settings[name]
	if !ok {
		panic("BUG: " + name + " is not a setting of the " + c.Scope.String())
	}
	return value
}

// Int returns a number.
func (c Client) Int(name string) int32 {
	n, err := strconv.ParseInt(c.Text(name), 10, 32)
	if err != nil {
		panic("BUG: " + name + ": " + err.Error())
	}
	return int32(n)
}

// Millis returns a number of milliseconds.
func (c Client) Millis(name string) time.Duration {
	return time.Duration(c.Int(name)) * time.Millisecond
}
