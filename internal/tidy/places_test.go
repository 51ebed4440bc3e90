package tidy

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// places are written in pieces so that this file does not name them itself.
var places = []struct {
	what *regexp.Regexp
	say  string
}{
	{regexp.MustCompile(`/wor` + `k/|/ro` + `ot/|/hom` + `e/[a-z]|/tm` + `p/[a-z]`), "a path of one machine: take it from a flag, the environment or a temporary folder"},
	{regexp.MustCompile(`\b190` + `9[0-9]\b`), "the port of one machine's broker: take the address from the environment"},
	{regexp.MustCompile(`proxy\.gol` + `ang\.org|pypi\.o` + `rg|registry\.npm` + `js|repo1?\.mav` + `en|deb\.deb` + `ian`), "a registry's host: its client knows it"},
}

func wrongPlaces(name, content string) []string {
	var complaints []string
	for i, line := range strings.Split(content, "\n") {
		for _, p := range places {
			if found := p.what.FindString(line); found != "" {
				complaints = append(complaints, name+":"+strconv.Itoa(i+1)+": "+found+": "+p.say)
			}
		}
	}
	return complaints
}

func TestNothingNamesAMachine(t *testing.T) {
	for _, name := range files(t) {
		content := read(t, name)
		if strings.ContainsRune(content, 0) || name == "go.sum" {
			continue // not text
		}
		for _, complaint := range wrongPlaces(name, content) {
			t.Error(complaint)
		}
	}
}

func TestPlaceRuleRefuses(t *testing.T) {
	for _, bad := range []string{"/ro" + "ot/x", "127.0.0.1:190" + "92", "/tm" + "p/kafka", "pypi.o" + "rg"} {
		if got := wrongPlaces("x", "a\n"+bad); len(got) != 1 || !strings.HasPrefix(got[0], "x:2: ") {
			t.Errorf("%q: %v, want one complaint about line 2", bad, got)
		}
	}
	if got := wrongPlaces("x", "localhost:9092 https://github.com/a/b"); len(got) != 0 {
		t.Error(got)
	}
}
