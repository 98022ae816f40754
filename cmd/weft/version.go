package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of weft, the commit it was built from, and its Go and system.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			if asJSON {
				return a.printJSON(v)
			}
			commit := ""
			if v.Commit != nil {
				commit = " commit " + *v.Commit
			}
			if v.Modified {
				commit += " (modified)"
			}
			return a.print("weft %s%s, %s %s/%s\n", v.Version, commit, v.Go, v.OS, v.Arch)
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// version is the JSON of weft version; Commit and Time are null in builds
// outside a checkout.
type version struct {
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Time     *string `json:"time"`
	Modified bool    `json:"modified"`
	Go       string  `json:"go"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
}

func readVersion() version {
	v := version{Version: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = &s.Value
		case "vcs.time":
			v.Time = &s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
