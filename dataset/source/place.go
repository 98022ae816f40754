package source

import (
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/internal/place"
)

// Places are the options that look names up in the folders of $WEFT_DATA and
// then in the cache; getenv is os.Getenv, or what takes its place.
func Places(getenv func(string) string) dataset.Options {
	data, cache := place.Folders(getenv)
	return dataset.Options{DataPath: data, CacheDir: cache}
}
