package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go version it was built with",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionLine())
			return err
		},
	}
}

// versionLine reads what the Go toolchain stamped into the binary.
func versionLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "auditstream (unknown build)"
	}
	version, commit := info.Main.Version, "unknown commit"
	if version == "" {
		version = "(devel)"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			commit = setting.Value
		}
	}
	return fmt.Sprintf("auditstream %s, %s, %s", version, commit, info.GoVersion)
}
