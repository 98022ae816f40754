package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// TestParse: what is written is read back, as text and as YAML.
func TestParse(t *testing.T) {
	for _, text := range []string{"algorithm=1d,partition=4", "partition=2", "algorithm=2d,partition=2x3,partitioner=hash", "algorithm=vertexcut,partition=3,partitioner=dbh", "algorithm=1d-allgather, partition=8",
		"algorithm=weights,feature=4", "algorithm=feature,feature=4,resplit=reduce-scatter", "replica=2,partition=2,feature=3", "algorithm=weights,replica=2,feature=2", "partition=2,overlap=false", "partition=2,exchange=before", "algorithm=2d,partition=2x2,exchange=auto,halo=recompute", "partition=2,exchange=after,halo=communicate", "partition=2,backward=rows", "algorithm=vertexcut,partition=2,halo=recompute,backward=auto", "partition=2,backward=sums", "algorithm=feature,feature=2,overlap=true"} {
		p, err := plan.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := plan.Parse(p.String())
		if err != nil || again.String() != p.String() || again.Blocking != strings.Contains(text, "overlap=false") {
			t.Errorf("%s is written %v and read back as %v, %v", text, p, again, err)
		}
		yaml, err := p.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err = plan.ParseYAML("p.yaml", yaml, 1)
		if err != nil || again.String() != p.String() {
			t.Errorf("%s as YAML:\n%s\nread back as %v, %v", text, yaml, again, err)
		}
	}
}

// TestParseOn: ranks lie along the algorithm's axis where the plan names none.
func TestParseOn(t *testing.T) {
	for text, want := range map[string]string{
		"overlap=false":          "algorithm=1d,partition=6,partitioner=multilevel,overlap=false",
		"algorithm=vertexcut":    "algorithm=vertexcut,partition=6,partitioner=hdrf",
		"algorithm=2d":           "algorithm=2d,partition=2x3,partitioner=random",
		"algorithm=3d":           "algorithm=3d,partition=1x3x2,partitioner=random",
		"algorithm=weights":      "algorithm=weights,feature=6",
		"algorithm=replicas":     "algorithm=replicas,replica=6",
		"replica=2":              "algorithm=1d,partition=1,replica=2,partitioner=multilevel",
		"algorithm=1d,feature=1": "algorithm=1d,partition=1,partitioner=multilevel",
	} {
		if p, err := plan.ParseOn(text, 6); err != nil || p.String() != want {
			t.Errorf("%s on 6 ranks is %v, %v, want %s", text, p, err, want)
		}
	}
}

// TestParseRefuses: mistakes are named, with what is accepted.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"algorithm=1e":               "did you mean",
		"algorithm":                  "want key=value",
		"partitions=3":               `did you mean "partition"`,
		"partition=2,partition=3":    "given twice",
		"partition=two":              "want a number P of ranks",
		"partition=0":                "want 1 to",
		"partition=2x2":              "1d takes a number P of ranks",
		"algorithm=2d,partition=4":   "2d takes a grid RxS",
		"algorithm=3d,partition=2x2": "3d takes a grid RxSxC of ranks",
		"algorithm=3d,partition=2x2x3,replication=2":   "3d says it in partition, as the last of 2x2x3",
		"algorithm=3d,partition=2x1x2,feature=2":       "3d shares out columns itself",
		"algorithm=1d,partition=2,partitioner=hdrf":    "assigns edges",
		"algorithm=vertexcut,partitioner=ldg":          "assigns vertices",
		"algorithm=weights,partition=2":                "say feature=2",
		"algorithm=replicas,feature=2":                 "goes with the algorithm feature",
		"algorithm=1d,resplit=reduce-scatter":          "goes with the algorithm feature",
		"algorithm=feature,feature=2,exchange=before":  "not with feature",
		"algorithm=replicas,replica=2,halo=recompute":  "not with replicas",
		"algorithm=3d,partition=2x1x2,backward=rows":   "not with 3d",
		"partition=2,backward=row":                     `did you mean "rows"`,
		"partition=2,exchange=befor":                   `did you mean "before"`,
		"partition=2,halo=recompte":                    `did you mean "recompute"`,
		"algorithm=feature,resplit=reduce-scater":      `did you mean "reduce-scatter"`,
		"replica=4294967296,partition=2":               "want 1 to",
		"replica=65536,partition=2":                    "want 1 to",
		"algorithm=2d,partition=99999x99999":           "want 1 to",
		"algorithm=2d,partition=4294967296x4294967296": "want 1 to",
		"algorithm=2d,partition=-1x-1":                 "want 1 to",
		"algorithm=1d,partition=2,partitioner=metiss":  "not one of",
		"partition=2,overlap=no":                       "want true or false",
	} {
		if _, err := plan.Parse(text); err == nil || !contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestParseYAMLRefuses: mistakes are named with their file, and where they are in it.
func TestParseYAMLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"- 1":                             "p.yaml:1:1: ",
		"":                                "p.yaml: want one YAML document",
		"partition: 2\nalgorithm\n":       "p.yaml:2:1: ",
		"partition: 2\npartition: 3\n":    "p.yaml:2:1: ",
		"algorithm:\npartition: 2\n":      "p.yaml: algorithm has no value",
		"algorithm: 2d\npartition: 4\n":   "p.yaml: plan: partition 4: 2d takes a grid RxS",
		"partitions: 3\n":                 `p.yaml: plan: no key "partitions"`,
		"partition: [2, 2]\n":             "p.yaml: plan: partition \"[2 2]\": want a number P",
		"partition: &p 2\nfeature: *p\n":  "p.yaml:1: anchors and aliases are not read",
		"x: " + strings.Repeat("[", 1000): "p.yaml:1: nested more than",
	} {
		if _, err := plan.ParseYAML("p.yaml", []byte(text), 1); err == nil || !contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// grid is an r × c grid whose arcs go both ways.
func grid(t *testing.T, rows, cols int) *graph.Graph {
	t.Helper()
	var src, dst []int32
	add := func(a, b int) {
		src, dst = append(src, int32(a), int32(b)), append(dst, int32(b), int32(a))
	}
	for i := range rows {
		for j := range cols {
			if v := i*cols + j; j+1 < cols {
				add(v, v+1)
			}
			if v := i*cols + j; i+1 < rows {
				add(v, v+cols)
			}
		}
	}
	g, err := graph.FromCOO(rows*cols, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// words returns what each rank sends, per column, to expand sources and to fold
// what it has of destinations that others own.
func words(t *testing.T, g *graph.Graph, p plan.Plan) (expand, fold []int) {
	t.Helper()
	o, err := p.Owners(t.Context(), g, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := program.NewBuilder("sum")
	b.Output("y", b.Sum(b.Scatter(b.Input("x", program.Vertices, program.Cols(1)), program.Src, program.Edges), program.Dst))
	declared, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	piece, err := plan.Pieces(g, o, declared)
	if err != nil {
		t.Fatal(err)
	}
	for r := range p.Ranks() {
		s := piece(r).Share
		expand = append(expand, len(s.Sources.Boundary))
		if s.Destinations == nil {
			fold = append(fold, 0)
		} else {
			fold = append(fold, s.Destinations.Halo())
		}
	}
	return expand, fold
}

func parse(t *testing.T, text string) plan.Plan {
	t.Helper()
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWordsHaveClosedForms: on graphs where the words of an algorithm have one.
func TestWordsHaveClosedForms(t *testing.T) {
	g := grid(t, 8, 6)
	// 1d, strips of two rows of a grid: inner strips send a row of 6 each way.
	expand, fold := words(t, g, parse(t, "algorithm=1d,partition=4,partitioner=range"))
	wantWords(t, "1d on a grid", expand, []int{6, 12, 12, 6}, fold, []int{0, 0, 0, 0})
	// 1d-allgather: n/P rows to each of P − 1 others.
	expand, fold = words(t, g, parse(t, "algorithm=1d-allgather,partition=4,partitioner=range"))
	wantWords(t, "1d-allgather", expand, []int{36, 36, 36, 36}, fold, []int{0, 0, 0, 0})
	// 2d: n/P rows to the R − 1 others of a column; rows of n/R destinations, less
	// the own n/P, to their owners in a row.
	expand, fold = words(t, g, parse(t, "algorithm=2d,partition=2x3,partitioner=range"))
	wantWords(t, "2d", expand, []int{8, 8, 8, 8, 8, 8}, fold, []int{16, 16, 16, 16, 16, 16})
	// 3d: a range of n/(R·S·C) rows to the R − 1 others of a column; rows of n/R
	// destinations, less the n/(R·S) of the part, to their owners in a row.
	expand, fold = words(t, g, parse(t, "algorithm=3d,partition=2x3x2,partitioner=range"))
	wantWords(t, "3d", expand, slices.Repeat([]int{4}, 12), fold, slices.Repeat([]int{16}, 12))
}

func wantWords(t *testing.T, what string, expand, wantExpand, fold, wantFold []int) {
	t.Helper()
	for r := range expand {
		if expand[r] != wantExpand[r] || fold[r] != wantFold[r] {
			t.Errorf("%s: ranks send %v and %v rows, want %v and %v", what, expand, fold, wantExpand, wantFold)
			return
		}
	}
}

// TestStar: every leaf of a star sends its row to the rank of the centre: all but
// the leaves that lie with it.
func TestStar(t *testing.T) {
	const leaves = 11
	var src, dst []int32
	for v := range int32(leaves) {
		src, dst = append(src, v+1), append(dst, 0)
	}
	g, err := graph.FromCOO(leaves+1, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	expand, _ := words(t, g, parse(t, "algorithm=1d,partition=3,partitioner=range"))
	own := make([]int, 3)
	o, err := parse(t, "algorithm=1d,partition=3,partitioner=range").Owners(t.Context(), g, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range o.Vertex {
		own[r]++
	}
	own[o.Vertex[0]] = 0
	wantWords(t, "1d on a star", expand, own, make([]int, 3), make([]int, 3))
}

// TestWordsOfColumns: what products with weights cost ranks that share out their
// columns, of n rows and widths that the ranks divide.
func TestWordsOfColumns(t *testing.T) {
	const n, k, out, ranks = 10, 12, 8, 4
	for text, want := range map[string]int64{
		// Every second product is summed to all: 2·n·k·(F − 1)/F; the last is gathered.
		"algorithm=weights,feature=4": 2*n*k*(ranks-1)/ranks + n*out*(ranks-1)/ranks,
		// Every product but the first is summed to columns: n·k·(F − 1)/F; the last is
		// gathered.
		"algorithm=feature,feature=4,resplit=reduce-scatter": n*k*(ranks-1)/ranks + 2*n*out*(ranks-1)/ranks,
	} {
		b := program.NewBuilder("three layers")
		x := b.Input("x", program.Vertices, program.Cols(5))
		for i, width := range []int{k, k, out} {
			b.Layer(i)
			x = b.Linear(x, program.Cols(width))
		}
		b.Output("y", x)
		declared, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, text)
		env := cost.Env{"n": n}
		p.Distribution(0).Bound(env)
		q, err := program.Distribute(declared, program.Facts{Distribution: p.Distribution(0), Env: env})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := q.Traffic(program.Step).Words.Eval(env); err != nil || got != want {
			t.Errorf("%s: %d words, %v, want %d", text, got, err, want)
		}
	}
}
