package parted

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// FuzzOpen: any manifest, and any bytes in one of the files of a part, are a part
// whose numbers are in range or an error; so are all parts together.
func FuzzOpen(f *testing.F) {
	dir := edited(f, func(*Manifest) {})
	manifest, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		f.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "part-0"))
	if err != nil {
		f.Fatal(err)
	}
	kept := map[string][]byte{}
	for i, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, "part-0", file.Name()))
		if err != nil {
			f.Fatal(err)
		}
		kept[file.Name()] = data
		f.Add(manifest, uint8(i), data)
		f.Add(manifest, uint8(i), datatest.NPY(f, []int64{0, 1, 2, 3}))
	}
	for _, with := range []string{`"vertex_cut":true`, `"weighted":true`, `"identified":true`, `"ids":"int"`, `"targets":1`, `"edge_features":1`} {
		key, _, _ := strings.Cut(with, ":")
		at := strings.Index(string(manifest), key+":")
		end := at + strings.IndexAny(string(manifest[at:]), ",}")
		f.Add(slices.Concat(manifest[:at], []byte(with), manifest[end:]), uint8(0), kept[files[0].Name()])
	}
	f.Fuzz(func(t *testing.T, manifest []byte, which uint8, content []byte) {
		var m Manifest
		if json.Unmarshal(manifest, &m) == nil { // else the hash would hide what follows
			m.Hash, _ = m.hash()
			if whole, err := json.Marshal(&m); err == nil {
				manifest = whole
			}
		}
		name := files[int(which)%len(files)].Name()
		write := func(path string, data []byte) {
			if err := os.WriteFile(filepath.Join(dir, path), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(ManifestFile, manifest)
		write(filepath.Join("part-0", name), content)
		defer write(filepath.Join("part-0", name), kept[name])
		p, err := Open(dir, 0, ReadOptions{Limits: budget.Limits{Floor: 1 << 20, Ratio: 64}})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "dataset: ") {
				t.Errorf("the error is not the package's: %v", err)
			}
			return
		}
		walk(t, p)
		if view, err := p.View(); err == nil {
			view.Graph.LoopBlock().Identities()
		}
		if d, err := Join(t.Context(), dir, dataset.Options{Limits: budget.Limits{Floor: 1 << 20, Ratio: 64}}); err == nil {
			d.Graph.LoopBlock().Identities()
		}
	})
}

// walk uses every number of a part as an index.
func walk(t *testing.T, p *Part) {
	owners := make([]bool, len(p.Manifest.Parts))
	for _, o := range p.Owner {
		owners[o] = true
	}
	for row := range p.Rows {
		for i := p.Ptr[row]; i < p.Ptr[row+1]; i++ {
			_, _ = p.Vertex[p.Col[i]], p.Edge[i]
		}
	}
	for place := range p.Vertex {
		_ = p.ID(place)
		if place < p.Own {
			_ = p.X.Row(place)
		}
	}
	for q := range owners {
		for _, place := range slices.Concat(p.Send.To(q), p.Gather.To(q), p.Fetched()[q], p.Returned()[q]) {
			_ = p.Vertex[place]
		}
	}
	for _, s := range p.Splits {
		for _, item := range slices.Concat(s.Train, s.Val, s.Test) {
			if p.Manifest.Task == dataset.LinkPrediction {
				_ = p.Edge[item]
			} else {
				_ = p.X.Row(int(item))
			}
		}
	}
	for _, c := range p.Labels.Class {
		if c >= 0 {
			_ = p.Labels.Names[c]
		}
	}
}
