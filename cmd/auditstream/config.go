package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/internal/config"
)

// configFlags are the flags by which a subcommand takes its configuration.
type configFlags struct {
	path string
	sets []string
}

func (f *configFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.path, "config", "c", "", "configuration `FILE`: .properties, .json or .yaml")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "override a `key=value`; may be given several times")
}

// load reads the configuration and tells its notes on stderr.
func (a *app) load(f configFlags, options ...config.Option) (*config.Config, error) {
	c, err := config.Load(f.path, a.env, f.sets, options...)
	if err != nil {
		return nil, err
	}
	for _, note := range c.Notes {
		fmt.Fprintln(a.err, "note:", safeLines(note))
	}
	return c, nil
}

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Validate a configuration, print the defaults or the reference",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.configValidateCommand(),
		a.configPrintCommand("defaults", "Print every key with its default as a .properties file", config.Properties),
		a.configPrintCommand("docs", "Print the reference of all keys as Markdown", config.Reference),
	)
	return cmd
}

func (a *app) configValidateCommand() *cobra.Command {
	var flags configFlags
	var sample string
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a configuration without a broker and print what is in force",
		Long: "validate checks a configuration without a broker and prints what is in force. With\n" +
			"--sample it tries the fields on the records of a file instead, which is a capture or\n" +
			"has one value a line, and prints by class how many there are, what was read of the\n" +
			"first, and what is missing. It is exit 1 when no record is a tick.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.load(flags)
			if err != nil {
				return err
			}
			if sample != "" {
				return a.sampleOf(cmd.Context(), c, sample)
			}
			settings := c.Settings()
			for _, key := range slices.Sorted(maps.Keys(settings)) {
				fmt.Fprintf(a.out, "%s=%s\n", key, settings[key])
			}
			return nil
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&sample, "sample", "", "try the fields on the records of a `FILE`, - for standard input")
	return cmd
}

func (a *app) configPrintCommand(use, short string, print func() string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, print())
			return err
		},
	}
}
