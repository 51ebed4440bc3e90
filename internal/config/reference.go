package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reference prints every key as Markdown: docs/configuration.md.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	b.WriteString("## Keys\n\n| key | default | type | meaning |\n|---|---|---|---|\n")
	for _, key := range Keys {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key.Name, shownDefault(key), cell(join(key.Type, key.Allowed)), cell(key.Meaning))
	}
	b.WriteString(clientHead)
	b.WriteString("| setting | of | default | type | meaning |\n|---|---|---|---|---|\n")
	for _, key := range ClientKeys {
		value := "–"
		if key.Default != "" {
			value = "`" + key.Default + "`"
		}
		kind := join(key.Type, key.Allowed)
		if key.Type == "" {
			kind = key.Allowed
		}
		meaning := key.Meaning
		if key.Secret && key.Type != "" {
			meaning = strings.TrimSpace("A secret. " + meaning)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", key.Name, key.Scopes, value, cell(kind), cell(meaning))
	}
	b.WriteString("\n## Keys of Kafka Connect without effect\n\nA pasted connector configuration may carry them; each is told in a note.\n\n| key | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(ignoredKeys)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, ignoredKeys[name])
	}
	return b.String()
}

// Properties prints every key with its default as a .properties file. A key
// without default is written as a comment.
func Properties() string {
	var b strings.Builder
	for _, key := range Keys {
		for _, line := range wrap(strings.ReplaceAll(key.Meaning, "`", ""), 78) {
			b.WriteString("# " + line + "\n")
		}
		if key.Default == "" {
			fmt.Fprintf(&b, "# unset: %s\n#%s=\n\n", strings.ReplaceAll(key.Unset, "`", ""), key.Name)
			continue
		}
		fmt.Fprintf(&b, "%s=%s\n\n", key.Name, key.Default)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func shownDefault(key Key) string {
	switch {
	case key.Default != "" && key.Unset != "":
		return "`" + key.Default + "`; empty: " + key.Unset
	case key.Default != "":
		return "`" + key.Default + "`"
	}
	return "–: " + key.Unset
}

// cell keeps a '|' from ending a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

const referenceHead = "# Configuration\n\n" +
	"Printed by `auditstream config docs` from the table in internal/config. Do not edit: `make docs` writes it.\n\n" +
	"A configuration is a flat map of dotted keys, in one of the forms that Kafka Connect has, told apart by\n" +
	"the file name's ending, or else by content:\n\n" +
	"| form | looks like |\n|---|---|\n" +
	"| `.properties` | `topics=ticks` |\n" +
	"| `.json` | `{\"topics\": \"ticks\"}`, or a connector's `{\"name\": …, \"config\": {…}}` |\n" +
	"| `.yaml`, `.yml` | `topics: ticks`, or `topics: [ticks, trades]` |\n\n" +
	"Later ones override earlier ones:\n\n" +
	"1. the defaults below\n" +
	"2. the file given with `-c`\n" +
	"3. environment variables: `AUDITSTREAM_` and the key in upper case with `_` for `.`, such as `AUDITSTREAM_AUDIT_TOPIC`\n" +
	"4. flags: `--set key=value`\n\n" +
	"A value may refer to others: `${file:/path:key}` to a key of a properties file, `${env:NAME}` to a variable.\n" +
	"A secret is never given with `--set` except as such a reference.\n\n" +
	"Everything wrong with a configuration is told at once, and the exit code is 2. An unknown key is an error;\n" +
	"an unknown `AUDITSTREAM_` variable is only noted, because Kubernetes makes some of its own.\n\n"

const clientHead = "\n## Client settings\n\n" +
	"By Kafka's own names, each as `consumer.override.<setting>`, `producer.override.<setting>` or\n" +
	"`admin.override.<setting>`. What is given for the consumer in settings of every client other than `client.id`\n" +
	"holds for producer and admin too, unless they have `security.`, `sasl.` or `ssl.` settings of their own.\n\n"
