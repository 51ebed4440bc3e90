package config

import "maps"

// Check tells what is wrong with a flat map of keys, as [Load] would, and
// reads no file and no variable: a value with a reference is not looked into.
// It is for settings from somebody who may not see what they refer to.
func Check(settings map[string]string) []Fault {
	l := loader{config: Default(), given: map[string]setting{}}
	for key, value := range settings {
		if _, ignored := ignoredKeys[key]; !ignored {
			l.give(key, value, "")
		}
	}
	unread := map[string]bool{}
	for name, s := range l.given {
		if referencePattern.MatchString(s.value) {
			unread[name] = true
		} else if err := l.config.set(name, s.value); err != nil {
			l.fault(name, "", "%v", err)
		}
	}
	l.config.given = l.given
	faulty := l.faulty()
	maps.Copy(faulty, unread)
	if err := l.config.validate(false, faulty); err != nil {
		l.faults = append(l.faults, err.Faults...)
	}
	return l.faults
}
