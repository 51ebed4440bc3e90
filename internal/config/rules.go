package config

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

var anyText = rule{"", func(string) error { return nil }}

var namePattern = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,100}$`)

// nameRule is for what becomes part of group, topic and transactional names.
var nameRule = rule{"letters, digits, '.', '_', '-'; at most 100", func(value string) error {
	if !namePattern.MatchString(value) {
		return fmt.Errorf("%q has other characters than letters, digits, '.', '_' and '-', or more than 100", value)
	}
	return nil
}}

var topicRule = rule{"topic names", topology.CheckName}

var addressRule = rule{"host:port", func(value string) error {
	host, port, err := net.SplitHostPort(value)
	if err != nil || host == "" || strings.Contains(value, "/") {
		return fmt.Errorf("%q is not host:port", value)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q: port %q is not 1 to 65535", value, port)
	}
	return nil
}}

// pathRule refuses paths with an empty step, which no field can match.
var pathRule = rule{"steps separated by '.', alternatives by '|'", func(value string) error {
	for path := range strings.SplitSeq(value, "|") {
		for step := range strings.SplitSeq(path, ".") {
			if step == "" {
				return fmt.Errorf("%q has an empty step", value)
			}
		}
	}
	return nil
}}

// rangeRule is a path, or two of them joined by two dots.
var rangeRule = rule{pathRule.allowed + ", first and last by '..'", func(value string) error {
	first, last, two := strings.Cut(value, "..")
	if err := pathRule.check(first); err != nil || !two {
		return err
	}
	return pathRule.check(last)
}}

var delimiterRule = rule{"one character of ASCII, or tab", func(value string) error {
	if value != "tab" && (len(value) != 1 || value[0] >= 0x80 || strings.ContainsAny(value, "\"\r\n")) {
		return fmt.Errorf("%q is no single character that can stand between fields", value)
	}
	return nil
}}

var regexpRule = rule{"names or regular expressions", func(value string) error {
	if _, err := regexp.Compile(value); err != nil {
		return fmt.Errorf("%q is not a regular expression: %w", value, err)
	}
	return nil
}}

// listenerRule takes one address or several with commas, as Connect does;
// plainListenerRule takes no https.
var (
	listenerRule      = listeners("http", "https")
	plainListenerRule = listeners("http")
)

func listeners(schemes ...string) rule {
	allowed := strings.Join(schemes, "://host:port or ") + "://host:port"
	return rule{allowed, func(value string) error {
		for address := range strings.SplitSeq(value, ",") {
			u, err := url.Parse(strings.TrimSpace(address))
			if err != nil || !slices.Contains(schemes, u.Scheme) || u.Port() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
				return fmt.Errorf("%q is not %s", address, allowed)
			}
		}
		return nil
	}}
}

var partitionerRule = rule{"auto, or a name of plan partition --list", func(value string) error {
	if value == "auto" {
		return nil
	}
	_, err := engine.PartitionerByName(value)
	return err
}}

// wordsRule takes elements of a list that are one of these words.
func wordsRule(words ...string) rule {
	allowed := strings.Join(words, ", ")
	return rule{allowed, func(value string) error {
		if !slices.Contains(words, value) {
			return fmt.Errorf("%q is none of %s", value, allowed)
		}
		return nil
	}}
}
