package train

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
)

// Resume prepares the run in dir to go on exactly where its checkpoint left
// it. epochs, where positive, replaces the number of epochs, also in the run's
// config.yaml; a schedule that depends on it then differs from there on.
//
// Errors: as New, and a directory without a checkpoint, with one that is damaged,
// of another model or data set, or of this attempt or a later one, or that another
// trainer uses; fewer epochs than are done.
func Resume(dir string, d *dataset.Dataset, epochs int, set Settings) (*Trainer, error) {
	cfg, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if epochs > 0 {
		cfg.Epochs = epochs
	}
	var held *runDir // rank 0's, where there are several
	if set.Rank == nil || set.Rank.Comm.Rank() == 0 {
		if held, err = holdDir(dir); err != nil {
			return nil, err
		}
	}
	set.Dir, set.Init = "", nil
	t, err := New(cfg, d, set)
	if err != nil {
		return nil, errors.Join(err, held.close())
	}
	t.dir = held
	if t.among() {
		t.logDir = dir
	}
	if err := t.resume(dir, epochs > 0); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// ended tells where nothing is left to do.
func (t *Trainer) ended() {
	switch {
	case t.state.Done:
		t.set.Log.Info(fmt.Sprintf("the run ended after %d epochs, %d of them without improvement: its patience is %d", t.state.Epoch, t.state.Stop.Waited, t.cfg.Patience))
	case t.state.Epoch == t.cfg.Epochs:
		t.set.Log.Info(fmt.Sprintf("the run has done its %d epochs; it goes on where more are asked for", t.state.Epoch))
	}
}

// resume takes up the run in a directory; extended says that its number of epochs
// is another one than was kept.
func (t *Trainer) resume(dir string, extended bool) error {
	if err := t.restore(dir); err != nil {
		return err
	}
	t.kept.Store(int64(t.state.Epoch))
	if t.state.Epoch > t.cfg.Epochs {
		return fmt.Errorf("train: %s has done %d epochs, want at least as many, not %d", dir, t.state.Epoch, t.cfg.Epochs)
	}
	t.ended()
	if t.dir == nil {
		return nil
	}
	if err := errors.Join(removeFile(filepath.Join(dir, finishedFile)), t.dir.removeHalves()); err != nil {
		return err
	}
	if extended {
		if err := t.cfg.write(t.dir.path); err != nil {
			return err
		}
	}
	return t.dir.keep(t.state.Epoch)
}
