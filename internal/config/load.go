package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/internal/nearest"
)

// Option changes what [Load] demands.
type Option func(*loader)

// TopicsOptional lets a configuration be without topics, for a command whose
// input names them.
func TopicsOptional() Option { return func(l *loader) { l.topicsOptional = true } }

// Load reads a configuration:
//
//  1. every key has its default;
//  2. the file at path, unless it is "", overrides it;
//  3. variables AUDITSTREAM_<KEY> of env ("NAME=value") override the file, the
//     key in upper case and with '_' for '.';
//  4. sets ("key=value") override both;
//  5. ${file:/path:key} and ${env:NAME} in a value are replaced;
//  6. everything is checked, and all that is wrong is returned at once as an
//     [*Error].
func Load(path string, env, sets []string, options ...Option) (*Config, error) {
	l := loader{config: Default(), given: map[string]setting{}}
	for _, option := range options {
		option(&l)
	}
	l.readFile(path)
	l.readEnvironment(env)
	l.readSets(sets)
	l.apply(env)
	if err := l.config.validate(l.topicsOptional, l.faulty()); err != nil {
		l.faults = append(l.faults, err.Faults...)
	}
	if len(l.faults) > 0 {
		return nil, &Error{l.faults, l.try}
	}
	return l.config, nil
}

// setting is one value as it was given.
type setting struct {
	value  string
	where  string
	secret bool
}

// shown is the value for other eyes.
func (s setting) shown() string {
	if s.secret && s.value != "" && (!referencePattern.MatchString(s.value) || literalSecret("", s.value)) {
		return "[hidden]"
	}
	return s.value
}

type loader struct {
	config         *Config
	given          map[string]setting
	faults         []Fault
	topicsOptional bool
	try            string // the next step, "": the reference
}

func (l *loader) fault(key, where, format string, args ...any) {
	l.faults = append(l.faults, Fault{key, where, fmt.Sprintf(format, args...)})
}

func (l *loader) note(format string, args ...any) {
	l.config.Notes = append(l.config.Notes, fmt.Sprintf(format, args...))
}

func (l *loader) readFile(path string) {
	if path == "" {
		return
	}
	entries, err := readFile(path)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		l.fault("", path, "%v", unreadable.Err)
		l.try = "the path of -c; auditstream config defaults prints a file to begin with"
	case err != nil:
		l.fault("", path, "%v", err)
	}
	lines := map[string]int{}
	for _, e := range entries {
		where := fmt.Sprintf("%s:%d", path, e.line)
		if first, twice := lines[e.key]; twice {
			l.note("%s: %s overrides line %d", where, e.key, first)
		}
		lines[e.key] = e.line
		if why, ignored := ignoredKeys[e.key]; ignored {
			l.note("%s: %s has no effect: %s", where, e.key, why)
			continue
		}
		l.give(e.key, e.value, where)
	}
}

// readEnvironment only notes a variable that is no key: Kubernetes makes
// AUDITSTREAM_SERVICE_HOST and the like for a service called auditstream.
func (l *loader) readEnvironment(env []string) {
	keys := map[string]string{}
	for _, key := range allKeys() {
		keys[variable(key)] = key
	}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "AUDITSTREAM_") {
			continue
		}
		if key, ok := keys[name]; ok {
			l.give(key, value, name)
			continue
		}
		note := "variable " + name + " is no key and has no effect"
		if near := nearest.Name(name, slices.Sorted(maps.Keys(keys))); near != "" {
			note += "; the nearest is " + near
		}
		l.note("%s", note)
	}
}

func (l *loader) readSets(sets []string) {
	for _, pair := range sets {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			l.fault("", "--set", "%q is not key=value", pair)
			continue
		}
		if key = strings.TrimSpace(key); key == "" {
			l.fault("", "--set", "%q has no key in front of =", pair)
			continue
		}
		if isSecret(key) && literalSecret(key, value) {
			l.fault(key, "--set", "a secret on the command line can be seen by others; refer to it: %s='${file:/path:key}' or '${env:NAME}'", key)
			continue
		}
		l.give(key, value, "--set")
	}
}

// give takes a value if its key is known; later sources override earlier ones.
func (l *loader) give(key, value, where string) {
	if key == "" {
		l.fault("", where, "no key in front of the value %q", value)
		return
	}
	if text := unknownKey(key); text != "" {
		l.fault(key, where, "%s", text)
		return
	}
	l.given[key] = setting{value, where, isSecret(key)}
}

// apply resolves and stores every value that was given.
func (l *loader) apply(env []string) {
	r := resolver{getenv: func(name string) (string, bool) { return lookup(env, name) }, files: map[string]map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(l.given)) {
		s := l.given[name]
		value, err := r.resolve(s.value)
		if err == nil {
			err = l.config.set(name, value)
		}
		if err != nil {
			l.fault(name, s.where, "%v", err)
		} else if why, waits := waitingKeys[name]; waits && value != defaultOf(name) {
			l.note("%s: %s=%s has no effect on findings in this version: %s", s.where, name, value, why)
		}
	}
	l.config.given = l.given
}

// faulty is the keys that have a fault of their own, about which nothing more
// can be said.
func (l *loader) faulty() map[string]bool {
	keys := map[string]bool{}
	for _, f := range l.faults {
		keys[f.Key] = true
	}
	return keys
}

func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}
