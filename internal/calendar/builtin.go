package calendar

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed markets/*.yaml
var markets embed.FS

// Markets are the names of the markets that are built in, by their market
// identifier codes (ISO 10383), ascending.
func Markets() []string {
	entries, err := markets.ReadDir("markets")
	if err != nil {
		panic("BUG: embedded markets: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

func isBuiltIn(name string) bool { return slices.Contains(Markets(), name) }

func list() string { return strings.Join(Markets(), ", ") }

func builtIn(name string) (*market, error) {
	if !isBuiltIn(name) {
		return nil, fmt.Errorf("%q is not 24x7 nor one of %s", name, list())
	}
	content, err := markets.ReadFile("markets/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	f, wrong, err := decode(content)
	if err == nil {
		err = wrong.err()
	}
	if err != nil {
		return nil, fmt.Errorf("built-in market %s: %w", name, err)
	}
	return &f.Markets[0], nil
}
