package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/internal/calendar"
)

// kind is how a key's value is read: its type and what is allowed, for the
// reference and for messages, and the function that checks and stores it.
type kind struct {
	Type    string
	Allowed string
	set     func(c *Config, value string) error
}

// rule checks one value or list element.
type rule struct {
	allowed string
	check   func(value string) error
}

func text(field func(*Config) *string, r rule) kind {
	return kind{"text", r.allowed, func(c *Config, value string) error {
		if value != "" {
			if err := r.check(value); err != nil {
				return err
			}
		}
		*field(c) = value
		return nil
	}}
}

// list is separated by commas, blanks around an element do not count.
func list(field func(*Config) *[]string, r rule) kind {
	return kind{"list", r.allowed, func(c *Config, value string) error {
		var elements []string
		for element := range strings.SplitSeq(value, ",") {
			element = strings.TrimSpace(element)
			if element == "" {
				continue
			}
			if err := r.check(element); err != nil {
				return err
			}
			elements = append(elements, element)
		}
		*field(c) = elements
		return nil
	}}
}

func oneOf(field func(*Config) *string, words ...string) kind {
	allowed := strings.Join(words, ", ")
	return kind{"word", allowed, func(c *Config, value string) error {
		if alias, ok := aliases[value]; ok {
			value = alias
		}
		for _, word := range words {
			if strings.EqualFold(word, value) {
				*field(c) = word
				return nil
			}
		}
		return notOneOf(value, words)
	}}
}

func integer(field func(*Config) *int64, least int64) kind {
	return kind{"integer", fmt.Sprintf("at least %d", least), func(c *Config, value string) error {
		n, err := parseInteger(value, least, math.MaxInt64)
		*field(c) = n
		return err
	}}
}

func count(field func(*Config) *int, least, most int64) kind {
	return kind{"integer", fmt.Sprintf("%d to %d", least, most), func(c *Config, value string) error {
		n, err := parseInteger(value, least, most)
		*field(c) = int(n)
		return err
	}}
}

// maxMillis is about 292 years, the longest time.Duration.
const maxMillis = math.MaxInt64 / int64(time.Millisecond)

// millis stores milliseconds as a time.Duration's nanoseconds.
func millis(field func(*Config) *int64, least int64) kind {
	return kind{"milliseconds", fmt.Sprintf("at least %d", least), func(c *Config, value string) error {
		n, err := parseInteger(value, least, maxMillis)
		*field(c) = n * int64(time.Millisecond)
		return err
	}}
}

func optionalMillis(field func(*Config) *int64) kind {
	k := millis(field, 1)
	set := k.set
	k.Allowed += ", or empty"
	k.set = func(c *Config, value string) error {
		if value == "" {
			*field(c) = 0
			return nil
		}
		return set(c, value)
	}
	return k
}

// silence takes milliseconds, or the word auto.
func silence() kind {
	k := optionalMillis(func(c *Config) *int64 { return (*int64)(&c.MaxSymbolSilence) })
	set := k.set
	k.Allowed = "at least 1, auto, or empty"
	k.set = func(c *Config, value string) error {
		if c.AutoSilence = value == "auto"; c.AutoSilence {
			value = ""
		}
		return set(c, value)
	}
	return k
}

// hours reads the calendar itself, so that a faulty one is told with the
// configuration.
func hours() kind {
	return kind{"text", "a file, 24x7 or " + strings.Join(calendar.Markets(), ", "), func(c *Config, value string) (err error) {
		if c.Calendar = nil; value != "" {
			c.Calendar, err = calendar.Load(value)
		}
		return err
	}}
}

func decimal(field func(*Config) *float64, least float64) kind {
	return kind{"number", fmt.Sprintf("at least %g", least), func(c *Config, value string) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%q is not a number from %g up", value, least)
		}
		if x < least {
			return fmt.Errorf("%s is less than %g", value, least)
		}
		*field(c) = x
		return nil
	}}
}

func zone() kind {
	return kind{"text", "an IANA zone name such as Europe/Berlin, or UTC", func(c *Config, value string) error {
		if value == "" {
			c.FieldTimestampZone = nil
			return nil
		}
		location, err := time.LoadLocation(value)
		if err != nil || value == "Local" {
			return fmt.Errorf("%q is not an IANA zone name such as Europe/Berlin, or UTC", value)
		}
		c.FieldTimestampZone = location
		return nil
	}}
}

func parseInteger(value string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a whole number from %d up", value, least)
	case n < least:
		return 0, fmt.Errorf("%d is less than %d", n, least)
	case n > most:
		return 0, fmt.Errorf("%d is more than %d", n, most)
	}
	return n, nil
}

func notOneOf(value string, words []string) error {
	if len(words) == 1 {
		return fmt.Errorf("%q is not supported, only %s is", value, words[0])
	}
	return fmt.Errorf("%q is not %s", value, orList(words))
}

// orList joins words as "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
