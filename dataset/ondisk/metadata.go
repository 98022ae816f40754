// Package ondisk writes and reads weft's own form of a data set: a folder of
// .npy files that are mapped into memory, described as DGL's GraphBolt
// (OnDiskDataset) describes its own.
package ondisk

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
)

// format is a folder with metadata.yaml in the raw layout of GraphBolt's
// OnDiskDataset: edges as a 2 × m array, features, labels and the three parts of
// a split as .npy files. What GraphBolt has no place for (labels outside the
// split, further splits, original ids, names of classes, graphs of a set, the
// identities that vertices and arcs had before they were put in another order) is
// in the file that the key weft names, which GraphBolt ignores. Edges are arcs
// source→destination; those of a folder that weft wrote are kept as they are, of
// another's merged unless they have features.
//
// Source: DGL 2.x, "Prepare dataset", https://docs.dgl.ai/stochastic_training/.
var format = dataset.Format{
	Name:   "weft",
	About:  "a folder with metadata.yaml and .npy files, as GraphBolt's OnDiskDataset",
	Detect: detect,
	Read:   read,
}

// metadataFile describes a set in its folder.
const metadataFile = "metadata.yaml"

// maxMetadata bounds its size.
const maxMetadata = 1 << 20

// Format returns the format of the folders that [Write] writes.
func Format() *dataset.Format { return &format }

func detect(p dataset.Probe) dataset.Score {
	switch {
	case p.Dir && p.Has(metadataFile):
		return dataset.Certain
	case !p.Dir && p.Base() == metadataFile && bytes.Contains(p.Head, []byte("graph")):
		return dataset.Certain
	}
	return dataset.No
}

// metadata is the content of metadata.yaml.
type metadata struct {
	Name     string        `yaml:"dataset_name"`
	Graph    metaGraph     `yaml:"graph"`
	Features []metaFeature `yaml:"feature_data,omitempty"`
	Tasks    []metaTask    `yaml:"tasks,omitempty"`
	// Weft names the file of what GraphBolt has no place for.
	Weft string `yaml:"weft,omitempty"`
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

// extraFile is what metadata.Weft names in folders that weft writes.
const extraFile = "weft.json"

// metaWeft is what GraphBolt's layout has no place for. It is JSON, which has
// one way to write any text.
type metaWeft struct {
	Version int            `json:"version"`
	Task    dataset.Task   `json:"task"`
	Metric  string         `json:"metric,omitempty"`
	Labels  string         `json:"labels,omitempty"`  // file of the class of every item
	Targets string         `json:"targets,omitempty"` // file of the targets of every item
	Classes []string       `json:"classes,omitempty"` // names
	Splits  []metaSplit    `json:"splits,omitempty"`
	IDs     *metaIDs       `json:"ids,omitempty"`
	Offsets string         `json:"graphs,omitempty"` // file of the first vertex of each graph, and the end
	Order   graph.Ordering `json:"order,omitempty"`  // what the vertices were last put in order by
	Origin  *metaOrigin    `json:"origin,omitempty"` // of a graph that is not its own whole
	Counts  metaCounts     `json:"counts"`
	Prep    *dataset.Prep  `json:"prep,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
}

// weftVersion is the version of metaWeft, raised when its meaning changes.
const weftVersion = 1

// metaSplit names a split and the files of its parts.
type metaSplit struct {
	Name  string `json:"name"`
	Train string `json:"train"`
	Val   string `json:"val"`
	Test  string `json:"test"`
}

// metaIDs names the file of integers, or of texts as UTF-8 bytes end to end
// and of where each starts.
type metaIDs struct {
	Int    string `json:"int,omitempty"`
	Bytes  string `json:"bytes,omitempty"`
	Starts string `json:"starts,omitempty"`
}

// metaOrigin names the files of identities: see graph.Origin. Edge has an entry
// for each edge of the list.
type metaOrigin struct {
	Vertices int64  `json:"vertices"` // of the whole graph
	Arcs     int64  `json:"arcs"`     // of the whole graph, loops left out
	Vertex   string `json:"vertex"`
	Edge     string `json:"edge"`
	// Permuted promises that this is the whole graph, its vertices in another order.
	Permuted bool `json:"permuted"`
}

// metaCounts are the counts of the edge list that the arcs came from.
type metaCounts struct {
	Listed     int64 `json:"listed"`
	Duplicates int64 `json:"duplicates"`
	Dropped    int64 `json:"dropped"`
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
