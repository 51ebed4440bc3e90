package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads a flat map of scalars and of lists of scalars.
func parseYAML(content []byte) ([]entry, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: no map of keys and values", root.Line)
	}
	var entries []entry
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		value, err := yamlValue(node)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", key.Line, key.Value, err)
		}
		entries = append(entries, entry{key.Value, value, key.Line})
	}
	return entries, nil
}

// yamlValue keeps a scalar's text as it is written, so that 010 or 1e3 stay
// what they are.
func yamlValue(node *yaml.Node) (string, error) {
	switch node.Kind {
	case yaml.AliasNode:
		return yamlValue(node.Alias)
	case yaml.ScalarNode:
		if node.Tag == "!!null" {
			return "", nil
		}
		return node.Value, nil
	case yaml.SequenceNode:
		var elements []string
		for _, child := range node.Content {
			if child.Kind != yaml.ScalarNode {
				return "", errors.New("a list cannot hold lists or maps")
			}
			elements = append(elements, child.Value)
		}
		return strings.Join(elements, ","), nil
	}
	return "", errors.New("a map cannot be a value; write the keys flat, with dots")
}
