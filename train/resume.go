package train

import "github.com/weft-gnn/weft/dataset"

// Resume prepares the run in dir to go on exactly where its checkpoint left
// it. epochs, where positive, replaces the number of epochs, also in the run's
// config.yaml; a schedule that depends on it then differs from there on.
//
// Errors: as New, and a directory without a checkpoint, or with one of another
// model or data set.
func Resume(dir string, d *dataset.Dataset, epochs int, set Settings) (*Trainer, error) {
	cfg, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if epochs > 0 {
		cfg.Epochs = epochs
	}
	set.Dir, set.Init = "", nil
	t, err := New(cfg, d, set)
	if err != nil {
		return nil, err
	}
	if err := t.restore(dir); err != nil {
		return nil, err
	}
	if epochs > 0 {
		if err := t.cfg.write(dir); err != nil {
			return nil, err
		}
	}
	t.dir, err = openDir(dir, t.state.Epoch)
	return t, err
}
