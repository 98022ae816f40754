package layout

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
)

// ogbTask is what OGB's "task type" says.
type ogbTask uint8

const (
	ogbUnknown    ogbTask = iota // to be inferred from the labels
	ogbBinary                    // 0/1 targets, any number of them
	ogbMulticlass                // one class
	ogbRegression
)

// ogbMeta is what OGB's master.csv says of a set beside the set's own files.
type ogbMeta struct {
	task    ogbTask
	classes int // of a multiclass task; 0 where unknown
	metric  dataset.Metric
	split   string // the one to use
	// inverse says that each listed edge stands for both directions.
	inverse bool
	// source is where this comes from; "" where nothing is known.
	source string
}

// ogbMasters are the places of master.csv, relative to a set's folder.
var ogbMasters = []string{"master.csv", "../master.csv"}

// findOGBMeta reads the master.csv in or beside the folder of a set, or else
// takes what OGB 1.3's own files say of sets of that name.
func findOGBMeta(ctx context.Context, dir string, names []string, g *budget.Guard) (ogbMeta, error) {
	for _, place := range ogbMasters {
		path := filepath.Join(dir, place)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		m, found, err := readOGBMaster(ctx, path, names, g)
		if found || err != nil {
			return m, err
		}
	}
	return knownOGB(names), nil
}

// readOGBMaster reads what a master.csv says of a set; false where it does not
// know the set.
func readOGBMaster(ctx context.Context, path string, names []string, g *budget.Guard) (ogbMeta, bool, error) {
	f, err := budget.Open(path)
	if err != nil {
		return ogbMeta{}, false, err
	}
	defer f.Close()
	return parseOGBMaster(path, lines.Metered(ctx, path, f, g), names)
}

// parseOGBMaster reads the column that one of names heads, or that has one of
// them as its download_name.
func parseOGBMaster(path string, r io.Reader, names []string) (m ogbMeta, found bool, err error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return m, false, fmt.Errorf("dataset: %s: %w", path, err)
	}
	column := ogbColumn(rows, names)
	if column < 0 {
		return m, false, nil
	}
	m.source = filepath.Base(path)
	for _, row := range rows {
		if err := m.set(row[0], row[column]); err != nil {
			return m, false, fmt.Errorf("dataset: %s: %s of %s: %w", path, row[0], rows[0][column], err)
		}
	}
	return m, true, nil
}

// ogbColumn finds the column of a set, −1 where there is none.
func ogbColumn(rows [][]string, names []string) int {
	for _, row := range rows {
		if row[0] != "" && row[0] != "download_name" {
			continue
		}
		for c, cell := range row[1:] {
			if isOGBName(names, cell) {
				return c + 1
			}
		}
	}
	return -1
}

// isOGBName reports whether name is among names; OGB writes "ogbg-molhiv" where
// the name of a folder is "ogbg_molhiv".
func isOGBName(names []string, name string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
	return slices.ContainsFunc(names, func(n string) bool { return plain(n) == plain(name) })
}

// set takes one property of master.csv.
func (m *ogbMeta) set(property, value string) error {
	switch property {
	case "task type":
		switch value {
		case "binary classification":
			m.task = ogbBinary
		case "multiclass classification":
			m.task = ogbMulticlass
		case "regression":
			m.task = ogbRegression
		default:
			return fmt.Errorf("%q is not supported: want binary classification, multiclass classification or regression", value)
		}
	case "num classes":
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is not an integer", value)
		}
		m.classes = max(n, 0) // −1 stands for a regression's
	case "eval metric":
		m.metric = dataset.ParseMetric(value)
	case "split":
		m.split = value
	case "add_inverse_edge":
		m.inverse = value == "True"
	case "is hetero":
		if value == "True" {
			return errHetero
		}
	case "binary":
		if value == "True" {
			return errOGBBinary
		}
	}
	return nil
}

// knownOGB is what master.csv of OGB 1.3.6 says of its homogeneous sets whose
// raw files are text.
//
// Source: https://github.com/snap-stanford/ogb, ogb/{nodeproppred,graphproppred}/master.csv.
func knownOGB(names []string) ogbMeta {
	known := []struct {
		names string
		meta  ogbMeta
	}{
		{"ogbn-arxiv arxiv", ogbMeta{task: ogbMulticlass, classes: 40, metric: dataset.Accuracy, split: "time"}},
		{"ogbn-products products", ogbMeta{task: ogbMulticlass, classes: 47, metric: dataset.Accuracy, split: "sales_ranking", inverse: true}},
		{"ogbn-proteins proteins", ogbMeta{task: ogbBinary, metric: dataset.ROCAUC, split: "species", inverse: true}},
		{"ogbg-ppa ogbg_ppi_medium", ogbMeta{task: ogbMulticlass, classes: 37, metric: dataset.Accuracy, split: "species", inverse: true}},
		{"ogbg-molesol esol ogbg-molfreesolv freesolv ogbg-mollipo lipophilicity", ogbMeta{task: ogbRegression, metric: dataset.RMSE, split: "scaffold", inverse: true}},
		{"ogbg-molmuv muv ogbg-molpcba pcba", ogbMeta{task: ogbBinary, metric: dataset.AveragePrecision, split: "scaffold", inverse: true}},
		{"ogbg-molbace bace ogbg-molbbbp bbbp ogbg-molclintox clintox ogbg-molsider sider ogbg-moltox21 tox21 " +
			"ogbg-moltoxcast toxcast ogbg-molhiv hiv ogbg-molchembl chembl",
			ogbMeta{task: ogbBinary, metric: dataset.ROCAUC, split: "scaffold", inverse: true}},
	}
	for _, k := range known {
		for _, name := range strings.Fields(k.names) {
			if isOGBName(names, name) {
				k.meta.source = "the set's name"
				return k.meta
			}
		}
	}
	return ogbMeta{}
}
