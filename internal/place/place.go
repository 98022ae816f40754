// Package place says where data sets lie on this machine. Commands, tests and
// benchmarks ask it, so that what one of them finds all do.
package place

import (
	"os"
	"path/filepath"
)

// Folders returns the folders of $WEFT_DATA, a list of paths, and the cache that
// `weft data fetch` and `weft data import` fill: $WEFT_CACHE, or the folder weft in
// the user's cache folder; "" where the system has none. getenv is os.Getenv, or
// what takes its place.
func Folders(getenv func(string) string) (data []string, cache string) {
	data = filepath.SplitList(getenv("WEFT_DATA"))
	if dir := getenv("WEFT_CACHE"); dir != "" {
		return data, dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return data, ""
	}
	return data, filepath.Join(dir, "weft")
}
