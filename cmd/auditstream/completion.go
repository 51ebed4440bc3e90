package main

import (
	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
)

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// flagValues are what a shell offers for a flag's value, by the flag's name.
var flagValues = map[string]completion{
	"config":      fileEndings("properties", "json", "yaml", "yml"),
	"fail-on":     words("never", "INFO", "WARNING", "CRITICAL"),
	"log-level":   words("debug", "info", "warn", "error"),
	"set":         settingKeys,
	"partitioner": partitionerNames,
	"client":      partitionerNames,
}

// offerCompletions tells the shell's completion what may stand where.
func offerCompletions(root *cobra.Command) {
	eachCommand(root, func(cmd *cobra.Command) {
		for name, values := range flagValues {
			if cmd.LocalFlags().Lookup(name) == nil {
				continue
			}
			if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
				panic("BUG: completion of --" + name + ": " + err.Error())
			}
		}
		switch {
		case pathOf(cmd) == "explain":
			cmd.ValidArgsFunction = findingCodes
		case cmd.ValidArgsFunction == nil:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	})
}

func words(values ...string) completion {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

func fileEndings(endings ...string) completion {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func settingKeys(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	offers := make([]string, 0, len(config.Keys))
	for i := range config.Keys {
		offers = append(offers, cobra.CompletionWithDesc(config.Keys[i].Name+"=", config.Keys[i].Meaning))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func partitionerNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range engine.Partitioners() {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func findingCodes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	for _, info := range engine.Codes() {
		offers = append(offers, cobra.CompletionWithDesc(info.Name, info.Meaning))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
