package tidy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/auditstream/auditstream"

// layers, from the one that knows nothing of the others. A package may import
// its own layer and those before it.
var layers = []struct {
	name    string
	folders []string
}{
	{"engine", []string{"engine"}},
	{"codecs", []string{"codecs"}},
	{"topology", []string{"topology"}},
	{"processors and internal", []string{"processors", "internal"}},
	{"cmd, bench, examples and test", []string{"cmd", "bench", "examples", "test"}},
}

// kafka is kept out of the layers that must run without a broker.
var kafka = []string{"github.com/lovoo/goka", "github.com/IBM/sarama", "github.com/twmb/franz-go"}

// forTests are packages that product code may not import.
var forTests = []string{"internal/kafkatest", "internal/feedtest", "internal/doctest", "internal/tidy"}

type listed struct {
	ImportPath string
	Imports    []string
}

func layer(pkg string) int {
	folder, _, _ := strings.Cut(strings.TrimPrefix(pkg, module+"/"), "/")
	for i, l := range layers {
		for _, f := range l.folders {
			if f == folder {
				return i
			}
		}
	}
	return -1
}

func within(pkg, prefix string) bool {
	return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
}

func isForTests(pkg string) bool {
	return slices.ContainsFunc(forTests, func(f string) bool { return within(pkg, module+"/"+f) })
}

// wrongImports complains about a package's non-test imports.
func wrongImports(p listed) []string {
	var complaints []string
	own := layer(p.ImportPath)
	if own < 0 {
		return []string{p.ImportPath + ": lies in no known folder; put it where the file map of docs/ARCHITECTURE.md says"}
	}
	for _, imp := range p.Imports {
		standard := !strings.Contains(strings.SplitN(imp, "/", 2)[0], ".")
		if within(imp, module) {
			if l := layer(imp); l > own {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: imports point from cmd to engine; move what both need down to %s",
					p.ImportPath, imp, layers[own].name))
			}
			if isForTests(imp) && !isForTests(p.ImportPath) {
				complaints = append(complaints, fmt.Sprintf("%s imports %s outside a test", p.ImportPath, imp))
			}
			continue
		}
		if own == 0 && !standard {
			complaints = append(complaints, fmt.Sprintf("%s imports %s: the engine has the standard library only; wrap it in codecs or processors", p.ImportPath, imp))
		}
		for _, k := range kafka {
			if own > 0 && own < 3 && within(imp, k) {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: Kafka lives in processors and internal", p.ImportPath, imp))
			}
		}
	}
	return complaints
}

func TestImportsPointOneWay(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; packages++ {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range wrongImports(p) {
			t.Error(complaint)
		}
	}
	if packages < 5 {
		t.Errorf("go list told of %d packages", packages)
	}
}

func TestImportRuleRefuses(t *testing.T) {
	for _, bad := range []listed{
		{module + "/engine", []string{module + "/codecs"}},
		{module + "/engine", []string{"github.com/rs/zerolog"}},
		{module + "/codecs", []string{"github.com/lovoo/goka/codec"}},
		{module + "/topology", []string{module + "/processors"}},
		{module + "/internal/replay", []string{module + "/cmd/auditstream"}},
		{module + "/internal/replay", []string{module + "/internal/kafkatest"}},
		{module + "/helpers", nil},
	} {
		if got := wrongImports(bad); len(got) != 1 {
			t.Errorf("%v: %d complaints, want 1: %v", bad, len(got), got)
		}
	}
	good := listed{module + "/processors", []string{"github.com/lovoo/goka", module + "/engine", module + "/internal/config", "context"}}
	if got := wrongImports(good); len(got) != 0 {
		t.Errorf("%v: %v", good, got)
	}
}
