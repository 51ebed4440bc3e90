package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var referencePattern = regexp.MustCompile(`\$\{([^}:]*):([^}]*)\}`)

// resolver replaces ${file:/path:key} and ${env:NAME}, Connect's
// FileConfigProvider and EnvVarConfigProvider (KIP-297, KIP-887).
type resolver struct {
	getenv func(name string) (string, bool)
	files  map[string]map[string]string
}

// resolve returns the value with every reference replaced. What a reference
// stands for is not looked at again.
func (r *resolver) resolve(value string) (string, error) {
	var failed error
	resolved := referencePattern.ReplaceAllStringFunc(value, func(reference string) string {
		parts := referencePattern.FindStringSubmatch(reference)
		replacement, err := r.lookup(parts[1], parts[2])
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", reference, err)
		}
		return replacement
	})
	return resolved, failed
}

func (r *resolver) lookup(provider, rest string) (string, error) {
	switch provider {
	case "env":
		value, ok := r.getenv(rest)
		if !ok {
			return "", fmt.Errorf("variable %s is not set", rest)
		}
		return value, nil
	case "file":
		colon := strings.LastIndexByte(rest, ':')
		if colon <= 0 {
			return "", fmt.Errorf("a file reference is ${file:/path:key}")
		}
		return r.fromFile(rest[:colon], rest[colon+1:])
	}
	return "", fmt.Errorf("only ${file:/path:key} and ${env:NAME} are known")
}

func (r *resolver) fromFile(path, key string) (string, error) {
	values, read := r.files[path]
	if !read {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		entries, err := parseProperties(string(content))
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		values = map[string]string{}
		for _, e := range entries {
			values[e.key] = e.value
		}
		r.files[path] = values
	}
	value, ok := values[key]
	if !ok {
		return "", fmt.Errorf("%s has no key %q", path, key)
	}
	return value, nil
}

// literalSecret says whether a secret is written out rather than referred to:
// a reference alone for a password, a reference as password in a JAAS line.
func literalSecret(key, value string) bool {
	rest := referencePattern.ReplaceAllString(value, "\x00")
	if strings.HasSuffix(key, "sasl.jaas.config") {
		_, secret, found := strings.Cut(rest, "clientSecret")
		if !found {
			_, secret, found = strings.Cut(rest, "password")
		}
		return !found || !strings.HasPrefix(strings.TrimLeft(secret, " =\"'"), "\x00")
	}
	return strings.Trim(rest, "\x00") != ""
}
