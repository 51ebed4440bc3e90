package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/auditstream/auditstream/internal/doctest"
)

// cliPage is docs/cli.md.
func cliPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command line\n\nPrinted from the commands themselves. Do not edit: `make docs` writes it.\n\n" +
		"Data goes to stdout, everything else to stderr. Colour and live lines are for terminals; `NO_COLOR` is obeyed.\n\n" +
		"| exit code | meaning |\n|---|---|\n" +
		"| 0 | done, nothing at or above `--fail-on` |\n| 1 | it failed; the last line says what to try |\n" +
		"| 2 | usage or configuration |\n| 3 | findings at or above `--fail-on` |\n| 130 | a second Ctrl-C |\n\n" +
		"Completion for a shell, with values for `--set`, `--fail-on`, `--partitioner` and `explain`:\n\n" +
		"    auditstream completion bash > /etc/bash_completion.d/auditstream\n" +
		"    auditstream completion zsh > \"${fpath[1]}/_auditstream\"\n" +
		"    auditstream completion fish > ~/.config/fish/completions/auditstream.fish\n\n" +
		"Of every command:\n\n" + flagTable(root.PersistentFlags()))
	eachCommand(root, func(cmd *cobra.Command) {
		if cmd == root || !cmd.IsAvailableCommand() || strings.HasPrefix(pathOf(cmd), "completion") || pathOf(cmd) == "help" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", cmd.CommandPath())
		fmt.Fprintf(&b, "%s.\n\n    %s\n\n", strings.TrimSuffix(cmd.Short, "."), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		if cmd.Long != "" {
			fmt.Fprintf(&b, "%s\n\n", cmd.Long)
		}
		b.WriteString(flagTable(cmd.LocalNonPersistentFlags()))
		b.WriteString("\n" + strings.ReplaceAll("  "+strings.ReplaceAll(cmd.Example, "\n", "\n  "), "\n\n", "\n") + "\n")
	})
	return b.String()
}

func flagTable(flags *pflag.FlagSet) string {
	var rows strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		defaults := f.DefValue
		if defaults == "false" || defaults == "[]" || defaults == "0" {
			defaults = ""
		}
		if defaults != "" {
			defaults = "`" + defaults + "`"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", name, strings.ReplaceAll(value, "|", `\|`), defaults, strings.ReplaceAll(usage, "|", `\|`))
	})
	if rows.Len() == 0 {
		return ""
	}
	return "| flag | value | default | |\n|---|---|---|---|\n" + rows.String()
}

func plainRoot() *cobra.Command {
	return newApp(strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer), nil).rootCommand()
}

func TestDocsCommandLine(t *testing.T) { doctest.Check(t, "cli.md", cliPage(plainRoot())) }

// Every command shows how it is used, and what it shows is what it takes.
func TestExamplesAreCommandLinesThatExist(t *testing.T) {
	seen := map[string]bool{}
	eachCommand(plainRoot(), func(cmd *cobra.Command) {
		path := pathOf(cmd)
		seen[path] = true
		if cmd.IsAvailableCommand() && usageExamples[path] == "" && !strings.HasPrefix(path, "completion") && path != "help" {
			t.Errorf("auditstream %s has no example: add one to usageExamples", path)
		}
	})
	for path, text := range usageExamples {
		if !seen[path] {
			t.Errorf("there is no command %q", path)
		}
		for line := range strings.SplitSeq(text, "\n") {
			line, _, _ = strings.Cut(line, "  #")
			line = line[strings.Index(line, "auditstream "):]
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, " > ")
			cmd, args, err := plainRoot().Find(strings.Fields(line)[1:])
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			if err == nil {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if path != "" && !strings.HasPrefix(pathOf(cmd), path) {
				t.Errorf("%q is an example of %q", line, path)
			}
		}
	}
}
