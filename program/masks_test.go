package program_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// TestMasksAreTheDeclaredOnes: under every set of passes the training step draws
// the declared masks, site by site and bit for bit, on rows of the declared
// space, forward and backward.
func TestMasksAreTheDeclaredOnes(t *testing.T) {
	for _, m := range model.All() {
		p := objective(t, m, 2)
		for _, w := range fewWorlds(t) {
			x := randomExec(w, p, 5)
			f := w.facts(x.Target)
			p.Widths(f.Env)
			f.Optimizer = &Optimizer{}
			want := masks(t, p, &x)
			for _, skip := range skips() {
				f.Skip = skip
				q, err := Compile(p, f, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := masks(t, q, &x)
				if len(got) != len(want) {
					t.Errorf("%s, skip %v: masks of %d sites, want %d", m.Name, skip, len(got), len(want))
				}
				for site, mask := range want {
					if !slices.Equal(mask, got[site]) {
						t.Errorf("%s, %s, skip %v: site %d has another mask", m.Name, w.name, skip, site)
					}
				}
			}
		}
	}
}

// masks returns the bits of each site's mask as kernels draw it; of masks over
// entries of features, those at the entries' places. Ops of one site must agree.
func masks(t *testing.T, p *Program, x *RefExec) map[int][]uint32 {
	t.Helper()
	out := map[int][]uint32{}
	for _, m := range drawn(p) {
		o, of := m.mask, m.of
		ones := NewDense(Extent{N: x.N, NHat: x.NHat, X: x.X}.Rows(of), of.Cols.N)
		fill(ones.Data, 1)
		y := matrix(ones)
		o.Run(newExec(x), []tensor.Matrix{matrix(ones)}, y)
		if apart(dense(y), o.Reference(x, []Dense{ones})) > kernelTolerance {
			t.Errorf("site %d: the kernel's mask is not the reference's", o.Site)
		}
		if of.Space == Vertices && of.Cols.N == featureCols.N {
			y = atEntries(y, x.X)
		}
		bits := bitsOf(y)
		if was, ok := out[o.Site]; ok && !slices.Equal(was, bits) {
			t.Errorf("site %d draws two masks", o.Site)
		}
		out[o.Site] = bits
	}
	return out
}

// draw is a mask and the type of what it masks.
type draw struct {
	mask Dropout
	of   Type
}

// drawn returns the masks that nodes draw. That attention draws its mask as
// Dropout does is for the tests of attention to see.
func drawn(p *Program) (all []draw) {
	for _, n := range p.Nodes {
		ops := []Op{n.Op}
		if t, ok := n.Op.(Tailed); ok {
			ops = append(t.Steps[:t.Len:t.Len], t.Base)
		}
		for _, op := range ops {
			var a Attention
			switch o := op.(type) {
			case Dropout:
				all = append(all, draw{o, n.Type})
			case Attention:
				a = o
			case AttentionGradDst:
				a = Attention(o)
			case AttentionGradSrc:
				a = Attention(o)
			}
			if a.Mask.P != 0 {
				all = append(all, draw{a.Mask, Type{Space: a.Over, Cols: a.Heads}})
			}
		}
	}
	return all
}

// atEntries returns the values of features at the places of sparse ones.
func atEntries(y tensor.Matrix, places *graph.Block) tensor.Matrix {
	out := tensor.New(places.Edges(), 1)
	for e, v := range ends(places, Dst) {
		out.Data[e] = y.Row(int(v))[places.Col[e]]
	}
	return out
}

func bitsOf(m tensor.Matrix) []uint32 {
	var out []uint32
	for _, v := range m.Data {
		out = append(out, math.Float32bits(v))
	}
	return out
}
