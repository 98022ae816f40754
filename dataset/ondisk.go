package dataset

import (
	"bytes"
	"fmt"
	"path/filepath"
)

// ondiskFormat is a folder with metadata.yaml in the raw layout of GraphBolt's
// OnDiskDataset: edges as a 2 × m array, features, labels and the three parts of
// a split as .npy files. What GraphBolt has no place for (labels outside the
// split, further splits, original ids, names of classes, graphs of a set) is
// under the key weft, which GraphBolt ignores. Edges are arcs source→destination;
// those of a folder that weft wrote are kept as they are, of another's merged
// unless they have features.
//
// Source: DGL 2.x, "Prepare dataset", https://docs.dgl.ai/stochastic_training/.
var ondiskFormat = Format{
	Name:   "weft",
	About:  "a folder with metadata.yaml and .npy files, as GraphBolt's OnDiskDataset",
	Detect: detectOndisk,
	Read:   readOndisk,
}

// metadataFile describes a set in its folder.
const metadataFile = "metadata.yaml"

func detectOndisk(p Probe) Score {
	switch {
	case p.Dir && p.Has(metadataFile):
		return Certain
	case !p.Dir && p.Base() == metadataFile && bytes.Contains(p.Head, []byte("graph")):
		return Certain
	}
	return No
}

// metadata is the content of metadata.yaml.
type metadata struct {
	Name     string        `yaml:"dataset_name"`
	Graph    metaGraph     `yaml:"graph"`
	Features []metaFeature `yaml:"feature_data,omitempty"`
	Tasks    []metaTask    `yaml:"tasks,omitempty"`
	Weft     *metaWeft     `yaml:"weft,omitempty"`
}

type metaGraph struct {
	Nodes []metaNodes `yaml:"nodes"`
	Edges []metaEdges `yaml:"edges"`
	// Features are read with the structure; "weight" of the edges is theirs.
	Features []metaFeature `yaml:"feature_data,omitempty"`
}

type metaNodes struct {
	Type string `yaml:"type,omitempty"`
	Num  int64  `yaml:"num"`
}

type metaEdges struct {
	Type string   `yaml:"type,omitempty"`
	File metaFile `yaml:",inline"`
}

// metaFile is one array on disk.
type metaFile struct {
	Format string `yaml:"format"`
	Path   string `yaml:"path"`
}

type metaFeature struct {
	Domain string   `yaml:"domain"`
	Type   string   `yaml:"type,omitempty"`
	Name   string   `yaml:"name"`
	File   metaFile `yaml:",inline"`
}

type metaTask struct {
	Name    string    `yaml:"name"`
	Classes int       `yaml:"num_classes,omitempty"`
	Train   []metaSet `yaml:"train_set"`
	Val     []metaSet `yaml:"validation_set"`
	Test    []metaSet `yaml:"test_set"`
}

// metaSet is one part of a split: seeds and labels, one entry an item.
type metaSet struct {
	Type string     `yaml:"type,omitempty"`
	Data []metaData `yaml:"data"`
}

type metaData struct {
	Name string   `yaml:"name"`
	File metaFile `yaml:",inline"`
}

// metaWeft is what GraphBolt's layout has no place for.
type metaWeft struct {
	Version int    `yaml:"version"`
	Task    Task   `yaml:"task"`
	Metric  string `yaml:"metric,omitempty"`
	Labels  string `yaml:"labels,omitempty"`  // class of every item
	Targets string `yaml:"targets,omitempty"` // targets of every item
	// Classes are the classes' names.
	Classes []string    `yaml:"classes,omitempty"`
	Splits  []metaSplit `yaml:"splits,omitempty"`
	IDs     *metaIDs    `yaml:"ids,omitempty"`
	Offsets string      `yaml:"graphs,omitempty"` // first vertex of each graph, and the end
	Counts  metaCounts  `yaml:"counts"`
	Prep    string      `yaml:"prep,omitempty"`
	Notes   []string    `yaml:"notes,omitempty"`
}

// weftVersion is the version of metaWeft, raised when its meaning changes.
const weftVersion = 1

type metaSplit struct {
	Name  string `yaml:"name"`
	Train string `yaml:"train"`
	Val   string `yaml:"val"`
	Test  string `yaml:"test"`
}

// metaIDs are integers, or texts as UTF-8 bytes end to end and where each starts.
type metaIDs struct {
	Int    string `yaml:"int,omitempty"`
	Bytes  string `yaml:"bytes,omitempty"`
	Starts string `yaml:"starts,omitempty"`
}

// metaCounts are the counts of the edge list that the arcs came from.
type metaCounts struct {
	Listed     int64 `yaml:"listed"`
	Duplicates int64 `yaml:"duplicates"`
	Dropped    int64 `yaml:"dropped"`
}

// homogeneous returns the number of vertices and the edges of a graph with one
// type of each.
func (m *metadata) homogeneous(path string) (int64, metaFile, error) {
	g := m.Graph
	switch {
	case len(g.Nodes) == 0:
		return 0, metaFile{}, fmt.Errorf("dataset: %s: graph.nodes is missing", path)
	case len(g.Edges) == 0:
		return 0, metaFile{}, fmt.Errorf("dataset: %s: graph.edges is missing", path)
	case len(g.Nodes) > 1 || len(g.Edges) > 1:
		return 0, metaFile{}, fmt.Errorf("dataset: %s: %d types of nodes and %d of edges: heterogeneous graphs are not read yet",
			path, len(g.Nodes), len(g.Edges))
	case g.Nodes[0].Num < 0:
		return 0, metaFile{}, fmt.Errorf("dataset: %s: graph.nodes: num is %d", path, g.Nodes[0].Num)
	}
	return g.Nodes[0].Num, g.Edges[0].File, nil
}

// in returns the file's path within dir. Only paths below it are followed.
func (f metaFile) in(dir string) (string, error) {
	if !filepath.IsLocal(f.Path) {
		return "", fmt.Errorf("dataset: %s: the path %q leaves the folder", filepath.Join(dir, metadataFile), f.Path)
	}
	return filepath.Join(dir, f.Path), nil
}
