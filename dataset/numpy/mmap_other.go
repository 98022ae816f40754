//go:build !unix

package numpy

import (
	"fmt"
	"io"

	"github.com/weft-gnn/weft/dataset/budget"
)

// mapFile reads the file at path, where memory mapping is not at hand.
func mapFile(path string) ([]byte, error) {
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return data, nil
}
