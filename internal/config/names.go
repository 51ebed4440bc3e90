package config

import (
	"fmt"
	"strings"

	"github.com/auditstream/auditstream/internal/nearest"
)

var scopes = []Scope{Consumer, Producer, Admin}

// overrideKey splits consumer.override.<name> and its like.
func overrideKey(key string) (scope Scope, name string, ok bool) {
	for _, scope := range scopes {
		if name, ok := strings.CutPrefix(key, scope.String()+".override."); ok {
			return scope, name, true
		}
	}
	return 0, "", false
}

// allKeys is every key by its full name.
func allKeys() []string {
	var all []string
	for _, key := range Keys {
		all = append(all, key.Name)
	}
	for _, scope := range scopes {
		for _, name := range clientNames(scope) {
			all = append(all, scope.String()+".override."+name)
		}
	}
	return all
}

func clientNames(scope Scope) []string {
	var names []string
	for _, key := range ClientKeys {
		if key.Scopes&scope != 0 {
			names = append(names, key.Name)
		}
	}
	return names
}

// unknownKey says why a key is not known and which one was perhaps meant; ""
// for a known key.
func unknownKey(given string) string {
	if scope, name, ok := overrideKey(given); ok {
		key, known := clientKey(name)
		switch near := nearest.Name(name, clientNames(scope)); {
		case known && key.Scopes&scope != 0:
			return ""
		case known:
			return fmt.Sprintf("%s is not a setting of the %s", name, scope)
		case near != "":
			return fmt.Sprintf("unknown %s setting; the nearest is %s.override.%s", scope, scope, near)
		default:
			return fmt.Sprintf("unknown %s setting", scope)
		}
	}
	for _, key := range Keys {
		if key.Name == given {
			return ""
		}
	}
	if key, ok := clientKey(given); ok {
		for _, scope := range scopes {
			if key.Scopes&scope != 0 {
				return fmt.Sprintf("unknown key; as a client setting it is %s.override.%s", scope, given)
			}
		}
	}
	if near := nearest.Name(given, allKeys()); near != "" {
		return "unknown key; the nearest is " + near
	}
	return "unknown key"
}

// set checks and stores the value of a known key.
func (c *Config) set(name, value string) error {
	if !isSecret(name) {
		value = strings.TrimSpace(value)
	}
	if scope, setting, ok := overrideKey(name); ok {
		key, _ := clientKey(setting)
		checked, err := key.check(value)
		if err != nil {
			return err
		}
		c.overrides(scope)[setting] = checked
		return nil
	}
	for _, key := range Keys {
		if key.Name == name {
			return key.set(c, value)
		}
	}
	panic("BUG: set of an unknown key " + name)
}

func join(kind, allowed string) string {
	if allowed == "" {
		return kind
	}
	return kind + ", " + allowed
}

func isSecret(name string) bool {
	_, setting, ok := overrideKey(name)
	if !ok {
		return registrySecrets[name] || alertSecrets[name] || name == "rest.basic.auth.password"
	}
	key, _ := clientKey(setting)
	return key.Secret
}

// variable is the environment variable of a key.
func variable(key string) string {
	return "AUDITSTREAM_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
