package table

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// format reads users' own tables, see [Spec]: a YAML description of
// them, a folder with tables called vertices and edges, or one edge table alone.
//
// Edges are undirected unless the description or Options.Direction say
// otherwise; equal ones are merged unless they have features.
var format = dataset.Format{
	Name:   FormatName,
	About:  "your own CSV, TSV or Parquet tables: a YAML description, a folder with vertices.* and edges.*, or one edge table",
	Detect: detect,
	Read:   read,
}

// FormatName is the name of the format.
const FormatName = "tables"

// Format returns the format of users' own tables.
func Format() *dataset.Format { return &format }

func detect(p dataset.Probe) dataset.Score {
	switch ext := p.Ext(); {
	case p.Dir:
		if tableIn(p.Path, p.Names, "vertices") != "" || tableIn(p.Path, p.Names, "edges") != "" {
			return dataset.Likely
		}
	case ext == ".yaml" || ext == ".yml":
		if startsLine(p.Head, "vertices:") || startsLine(p.Head, "edges:") {
			return dataset.Certain
		}
	case bytes.HasPrefix(p.Head, []byte(cells.ParquetMagic)):
		return dataset.Certain
	case ext == ".csv" || ext == ".tsv":
		first, _, _ := bytes.Cut(bytes.TrimSpace(p.Head), []byte("\n"))
		split := func(r rune) bool { return strings.ContainsRune(cells.Delimiters, r) || r == '\r' }
		// Without a header it is an edge list of another layout.
		fields := strings.FieldsFunc(string(first), split)
		switch {
		case len(fields) == 0 || cells.AllNumbers(fields):
		case isEdgeTable(p):
			return dataset.Likely
		default:
			return dataset.Possible
		}
	}
	return dataset.No
}

// startsLine reports whether a line of data starts with word.
func startsLine(data []byte, word string) bool {
	return bytes.HasPrefix(data, []byte(word)) || bytes.Contains(data, []byte("\n"+word))
}

// tableIn returns the path of the table called stem in a folder, "" if none.
func tableIn(dir string, names []string, stem string) string {
	for _, ext := range []string{".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"} {
		if slices.Contains(names, stem+ext) {
			return filepath.Join(dir, stem+ext)
		}
	}
	return ""
}

func read(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	spec, err := SpecAt(path)
	if err != nil {
		return nil, err
	}
	if opt.Split.Kind == dataset.ColumnSplit {
		spec.Split = opt.Split
	}
	return Open(ctx, spec, opt)
}

// SpecAt returns what path, a description, a folder or a table, describes.
func SpecAt(path string) (Spec, error) {
	p, err := dataset.Look(path)
	if err != nil {
		return Spec{}, err
	}
	switch ext := p.Ext(); {
	case p.Dir:
		s := Spec{}
		s.Vertices.File = tableIn(path, p.Names, "vertices")
		s.Edges.File = tableIn(path, p.Names, "edges")
		if s.Vertices.File == "" && s.Edges.File == "" {
			return s, fmt.Errorf("dataset: %s has neither a table called vertices nor one called edges (.csv, .tsv, .parquet)", path)
		}
		return s, nil
	case ext == ".yaml" || ext == ".yml":
		return ReadSpec(path)
	}
	if !isEdgeTable(p) {
		return Spec{}, fmt.Errorf("dataset: %s: is it a table of vertices or of edges? Name it with --vertices or --edges, or call it edges", path)
	}
	return Spec{Edges: Edges{File: path}}, nil
}

// endNames are what the first two columns of an edge table are often called.
var endNames = [][2]string{
	{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"u", "v"}, {"head", "tail"},
	{"source", "destination"}, {"id1", "id2"}, {"node1", "node2"}, {"id_1", "id_2"}, {"node_1", "node_2"},
}

// isEdgeTable reports whether a table's name or header says that it lists
// edges.
func isEdgeTable(p dataset.Probe) bool {
	if strings.Contains(strings.ToLower(p.Base()), "edge") {
		return true
	}
	first, _, _ := bytes.Cut(p.Head, []byte("\n"))
	for _, ends := range endNames {
		for _, d := range cells.Delimiters {
			fields := strings.SplitN(strings.ToLower(strings.TrimSpace(string(first))), string(d), 3)
			if len(fields) >= 2 && strings.Trim(fields[0], `" `) == ends[0] && strings.Trim(fields[1], `" `) == ends[1] {
				return true
			}
		}
	}
	return false
}
