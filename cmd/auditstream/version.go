package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/internal/httpapi"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go version it was built with",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := build()
			_, err := fmt.Fprintf(a.out, "auditstream %s, %s, %s\n", b.Version, b.Commit, b.GoVersion)
			return err
		},
	}
}

// A release, and an image, are told what they are by the linker (.ci/release):
// there the sources lie in no repository.
var release, commit string

// build reads what the Go toolchain stamped into the binary.
func build() httpapi.Build {
	b := httpapi.Build{Version: cmp.Or(release, "(unknown build)"), Commit: cmp.Or(commit, "unknown commit")}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version, b.GoVersion = cmp.Or(release, info.Main.Version, "(devel)"), info.GoVersion
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && commit == "" {
			b.Commit = setting.Value
		}
	}
	return b
}
