package train

import (
	"fmt"

	"github.com/weft-gnn/weft/program"
)

// MemoryError says that a run needs more memory than there is.
type MemoryError struct {
	Data       string
	Need, Have int64 // bytes
	Among      bool  // both are of one of several ranks
}

func (e *MemoryError) Error() string {
	if e.Among {
		return fmt.Sprintf("train: %s: a rank needs %d bytes of memory, %d are available to each", e.Data, e.Need, e.Have)
	}
	return fmt.Sprintf("train: %s: a run needs %d bytes of memory, %d are available", e.Data, e.Need, e.Have)
}

// fits refuses programs whose arena does not fit the memory at hand: the system
// gives it out page by page, and ends the process when there are no more.
func (t *Trainer) fits(programs []*program.Program, features *program.SparseMatrix) error {
	if t.set.Memory <= 0 {
		return nil
	}
	var extent program.Extent
	if t.among() {
		extent = t.piece.Extent
	} else {
		extent = program.ExtentOf(t.d.Graph, programs...)
	}
	if features != nil {
		extent.X = features.Block
	}
	need := program.Memory(programs, extent).Size
	if need > t.set.Memory {
		return &MemoryError{t.d.Name, need, t.set.Memory, t.among()}
	}
	return nil
}
