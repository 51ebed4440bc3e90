package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/nearest"
	"github.com/auditstream/auditstream/internal/view"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Tell what a finding means, how it is judged and what to do next",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listFindings()
			}
			info, ok := engine.Lookup(args[0])
			if !ok {
				return unknownCode(args[0])
			}
			width := a.textWidth()
			_, err := fmt.Fprintf(a.out, "%s (%d)\nseverity  %s\nsubject   %s\n\nWhat it means\n%s\n\nHow it is judged\n%s\n\nWhat to do next\n%s\n",
				info.Name, info.Code, info.Severity, info.Subject,
				view.Wrap(info.Meaning, "  ", width), view.Wrap(info.Judged, "  ", width), view.Wrap(info.Action, "  ", width))
			return err
		},
	}
}

func (a *app) listFindings() error {
	if width := a.textWidth(); width > 0 {
		for _, info := range engine.Codes() {
			if _, err := fmt.Fprintf(a.out, "%-24s %s\n%s\n", info.Name, info.Severity, view.Wrap(info.Meaning, "    ", width)); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, info := range engine.Codes() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", info.Name, info.Severity, info.Meaning)
	}
	return w.Flush()
}

// textWidth is where running text is wrapped: at the terminal's width, but not
// beyond what reads well; 0 in a pipe, where a line is a sentence.
func (a *app) textWidth() int {
	if !isTerminal(a.out) {
		return 0
	}
	return min(terminalWidth(a.out), 100)
}

func unknownCode(given string) error {
	var names []string
	for _, info := range engine.Codes() {
		names = append(names, info.Name)
	}
	err := usagef("%q is no finding code", given)
	if near := nearest.Name(given, names); near != "" {
		return withTry(err, "auditstream explain "+near)
	}
	return withTry(err, "auditstream explain, for the list")
}
