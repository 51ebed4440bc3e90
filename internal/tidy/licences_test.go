package tidy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// licences that dependencies may have, each by what only its text says.
var licences = []struct{ name, says string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted provided that"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
}

// What the program is built from has a licence that lets it be shipped.
func TestLicencesOfDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "../../cmd/auditstream").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		module, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		if module == "" || seen[module] {
			continue
		}
		seen[module] = true
		if name := licence(t, folder); name == "" {
			t.Errorf("%s: no licence that is allowed; those are in licences_test.go", module)
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d modules were looked at", len(seen))
	}
}

// licence is the licence that a folder's files tell, "" when it is unknown.
func licence(t *testing.T, folder string) string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "licen[cs]e*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			if name := licenceOf(string(text)); name != "" {
				return name
			}
		}
	}
	return ""
}

func licenceOf(text string) string {
	plain := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(text, ",", ", "))), " ")
	for _, l := range licences {
		if strings.Contains(strings.ReplaceAll(plain, ", version 2.0", " version 2.0"), l.says) {
			return l.name
		}
	}
	return ""
}

func TestLicenceOfRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007": "",
		"All rights reserved.":                                "",
		"Apache License\n   Version 2.0, January 2004":        "Apache-2.0",
		"Mozilla Public License, version 2.0":                 "MPL-2.0",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
