package layout

import (
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/tensor"
)

// karateEdges are the pairs of members who met outside the club, by their
// numbers from 1 as published.
//
// Source: Zachary, "An information flow model for conflict and fission in
// small groups", Journal of Anthropological Research 33 (1977), Figure 1 and
// the matrix E; 78 pairs, with the entry 23–34 that the matrix's halves
// disagree on taken as an edge, as is customary.
var karateEdges = [78][2]int32{
	{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 11}, {1, 12},
	{1, 13}, {1, 14}, {1, 18}, {1, 20}, {1, 22}, {1, 32}, {2, 3}, {2, 4}, {2, 8}, {2, 14},
	{2, 18}, {2, 20}, {2, 22}, {2, 31}, {3, 4}, {3, 8}, {3, 9}, {3, 10}, {3, 14}, {3, 28},
	{3, 29}, {3, 33}, {4, 8}, {4, 13}, {4, 14}, {5, 7}, {5, 11}, {6, 7}, {6, 11}, {6, 17},
	{7, 17}, {9, 31}, {9, 33}, {9, 34}, {10, 34}, {14, 34}, {15, 33}, {15, 34}, {16, 33}, {16, 34},
	{19, 33}, {19, 34}, {20, 34}, {21, 33}, {21, 34}, {23, 33}, {23, 34}, {24, 26}, {24, 28}, {24, 30},
	{24, 33}, {24, 34}, {25, 26}, {25, 28}, {25, 32}, {26, 32}, {27, 30}, {27, 34}, {28, 34}, {29, 32},
	{29, 34}, {30, 33}, {30, 34}, {31, 33}, {31, 34}, {32, 33}, {32, 34}, {33, 34},
}

// karateOfficer are the members who followed the officer, John A., when the
// club split; the others followed Mr. Hi.
//
// Source: the same, Table 3, "club after split".
var karateOfficer = []int32{10, 15, 16, 19, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34}

// karatePerFaction is how many members of each faction train, and how many
// validate.
const karatePerFaction = 4

// readKarate makes Zachary's karate club: 34 members, 78 undirected edges,
// one-hot features (the identity), the faction to learn. Of each faction the
// first four members by number train, the next four validate, the rest test.
func readKarate(opt dataset.Options) (*dataset.Dataset, error) {
	const n = 34
	e := dataset.EdgeList{Path: "karate", N: n, Undirected: true}
	for _, p := range karateEdges {
		e.Src = append(e.Src, p[0]-1)
		e.Dst = append(e.Dst, p[1]-1)
	}
	g, err := e.Build(opt)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: "karate", Task: dataset.VertexClassification, Graph: g, X: tensor.New(n, n)}
	d.Labels = dataset.Labels{Class: make([]int32, n), Names: []string{"Mr. Hi", "Officer"}}
	d.IDs.Int = make([]int64, n)
	split := dataset.Split{Name: "public"}
	var seen [2]int
	for v := range int32(n) {
		d.X.Row(int(v))[v] = 1
		d.IDs.Int[v] = int64(v) + 1
		c := int32(0)
		if slices.Contains(karateOfficer, v+1) {
			c = 1
		}
		d.Labels.Class[v] = c
		switch k := seen[c]; {
		case k < karatePerFaction:
			split.Train = append(split.Train, v)
		case k < 2*karatePerFaction:
			split.Val = append(split.Val, v)
		default:
			split.Test = append(split.Test, v)
		}
		seen[c]++
	}
	d.Splits = []dataset.Split{split}
	return d, nil
}
