//go:build !unix

package numpy

import "os"

// mapFile reads the file at path, where memory mapping is not at hand.
func mapFile(path string) ([]byte, error) { return os.ReadFile(path) }
