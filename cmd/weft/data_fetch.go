package main

import (
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/fetch"
)

func (a *app) dataFetchCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "fetch NAME…",
		Short: "Bring public data sets into the cache",
		Long: `Bring public data sets into the cache ($WEFT_CACHE, or weft in the user's cache
folder), where --data finds them. Every file has the size and SHA-256 that weft
knows, or is refused; one that is there already is checked only, and a transfer
that broke off goes on where it stopped.

Sets:
` + strings.Join(wrap(strings.Join(fetch.Names(), ", ")+".", helpWidth), "\n"),
		Example:   "  weft data fetch cora\n  weft data fetch cora citeseer && weft train --data cora --recipe paper",
		Args:      args(1, len(fetch.Names()), "names of sets: "+strings.Join(fetch.Names(), ", ")),
		ValidArgs: fetch.Names(),
		RunE:      func(c *cobra.Command, names []string) error { return a.fetch(c, names, asJSON) },
	}
	jsonFlag(c, &asJSON)
	quietFlag(a, c)
	return c
}

// fetched is the JSON of weft data fetch.
type fetched struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (a *app) fetch(c *cobra.Command, names []string, asJSON bool) error {
	dir := a.cacheDir()
	if dir == "" {
		return usagef("there is no cache folder: set WEFT_CACHE")
	}
	for _, name := range names {
		if !slices.Contains(fetch.Names(), name) {
			return usagef("no set called %q can be fetched%s", name, accepted(name, fetch.Names()))
		}
	}
	out := fetched{Dir: dir}
	for _, name := range names {
		bar := a.transfer(name)
		files, err := fetch.Set(c.Context(), name, fetch.Options{Dir: dir, Progress: bar.at})
		bar.end()
		if err != nil {
			return err
		}
		out.Files = append(out.Files, files...)
	}
	if asJSON {
		return a.printJSON(out)
	}
	return a.print("%s in %s\n", strings.Join(names, ", "), dir)
}

// transfer shows how far a fetch is.
type transfer struct {
	app   *app
	name  string
	bar   *progressbar.ProgressBar
	shown time.Time
}

func (a *app) transfer(name string) *transfer {
	return &transfer{app: a, name: name, shown: time.Now()}
}

func (t *transfer) at(p fetch.Progress) {
	switch {
	case t.app.quiet:
	case t.app.terminal && t.bar == nil:
		t.bar = progressbar.NewOptions64(p.Total, progressbar.OptionSetWriter(t.app.log), progressbar.OptionSetDescription(t.name),
			progressbar.OptionShowBytes(true), progressbar.OptionSetWidth(24), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(redraw), progressbar.OptionUseANSICodes(true))
		t.bar.Set64(p.Done) // its error is the writer's: a lost bar harms nothing
	case t.bar != nil:
		t.bar.Set64(p.Done)
	case time.Since(t.shown) > 10*time.Second:
		t.shown = time.Now()
		t.app.say("%s: %s of %s", t.name, size(p.Done), size(p.Total))
	}
}

func (t *transfer) end() {
	if t.bar != nil {
		t.bar.Clear() // as above
	}
}
