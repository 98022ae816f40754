package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// attention is attention on a block in float64, by matrices of all edges.
type attention struct {
	Attention
	block               namedBlock
	z, r, l, g          tensor.Matrix
	src, dst, α, σ, d   ref.Matrix // incidence, coefficients, slopes, products
	spread, kept, score ref.Matrix // heads over columns, the mask, rectified scores
}

func newAttention(b namedBlock, a Attention, k int, seed uint64) *attention {
	src := newSource(seed)
	t := &attention{Attention: a, block: b, src: ref.Sources(b.Block), dst: ref.Destinations(b.Block), spread: ref.Heads(a.Heads, k)}
	t.z, t.g = src.uniform(b.Src, k), src.uniform(b.Dst, k)
	t.r, t.l = src.within(-3, 3, b.Src, a.Heads), src.within(-3, 3, b.Dst, a.Heads)
	s := t.src.Mul(ref.Of(t.r)).Add(t.dst.Mul(ref.Of(t.l)))
	t.σ = s.Map(func(x float64) float64 {
		if x > 0 {
			return 1
		}
		return float64(a.Slope)
	})
	t.score = s.Had(t.σ)
	t.α = ref.SegmentSoftmax(t.dst, t.score)
	t.kept = ref.Full(b.Edges(), a.Heads, 1)
	if a.Mask.P != 0 {
		t.kept = kept(a.Mask, a.IDs, b.Edges(), a.Heads)
	}
	t.d = t.src.Mul(ref.Of(t.z)).Had(t.dst.Mul(ref.Of(t.g))).Mul(t.spread.T()).Had(t.kept)
	return t
}

// rows returns y.
func (t *attention) rows() ref.Matrix {
	w := t.α.Had(t.kept).Mul(t.spread)
	return t.dst.T().Mul(t.src.Mul(ref.Of(t.z)).Had(w))
}

// tilted returns α(d − t)σ′.
func (t *attention) tilted() ref.Matrix {
	mean := t.dst.Mul(t.dst.T().Mul(t.α.Had(t.d)))
	return t.α.Had(t.d.Add(mean.Scale(-1))).Had(t.σ)
}

// destinations returns what AttendGradDst computes. Each edge knows the
// logarithm of its row's sum of exponentials: its score less that of α.
func (t *attention) destinations() ref.Matrix {
	logSum := ref.New(t.block.Dst, t.Heads)
	for v := range t.block.Dst {
		for e := t.block.Ptr[v]; e < t.block.Ptr[v+1]; e++ {
			for h := range t.Heads {
				logSum.Set(v, h, t.score.At(int(e), h)-math.Log(t.α.At(int(e), h)))
			}
		}
	}
	mean := t.dst.T().Mul(t.α.Had(t.d))
	return ref.Of(t.l).Beside(logSum).Beside(mean).Beside(t.dst.T().Mul(t.tilted()))
}

// sources returns what AttendGradSrc computes.
func (t *attention) sources() ref.Matrix {
	w := t.α.Had(t.kept).Mul(t.spread)
	return t.src.T().Mul(t.dst.Mul(ref.Of(t.g)).Had(w)).Beside(t.src.T().Mul(t.tilted()))
}

// attentions are heads and widths on both sides of every unrolling, with and
// without masks.
func attentions(b namedBlock) (all []*attention) {
	for i, w := range []struct{ k, heads int }{{1, 1}, {5, 1}, {41, 1}, {150, 1}, {4, 2}, {12, 4}, {64, 8}, {16, 8}, {256, 8}, {9, 3}, {17, 17}} {
		if b.Edges() > 1000 && (w.heads > 2 || w.k > 64) {
			continue // the oracle is quadratic in the degree
		}
		a := Attention{Heads: w.heads, Slope: []float32{0.2, 1, 0.5}[i%3]}
		all = append(all, newAttention(b, a, w.k, uint64(i)))
		a.Mask = testMask(0.6)
		a.Mask.First = int64(100 * i)
		if i%2 == 0 {
			a.IDs = spacedIDs(b.Edges())
		}
		all = append(all, newAttention(b, a, w.k, uint64(i)))
	}
	return all
}

func TestAttention(t *testing.T) {
	for _, b := range blocks() {
		for _, a := range attentions(b) {
			k, h, m := a.z.Cols, a.Heads, b.Edges()
			src := newSource(1)
			name := fmt.Sprintf("%s/k=%d/heads=%d/p=%v", b.name, k, h, a.Mask.P)
			masked := 0
			if a.Mask.P != 0 {
				masked = 2 * m * h
			}
			y, s, d := src.empty(b.Dst, k), src.empty(b.Dst, 4*h), src.empty(b.Src, k+h)
			// Scores round at 8, which the exponential passes on.
			rounds := 16 + 2*sumRounds(b.Block, Dst) + float64(k)
			trial{
				name: name + "/sum", in: []tensor.Matrix{a.z, a.r, a.l}, out: []tensor.Matrix{y},
				run:  func(ctx *Ctx) { Attend(ctx, b.Block, a.Attention, a.z, a.r, a.l, y) },
				want: []ref.Matrix{a.rows()}, rounds: rounds, work: int64(2*m*k + 7*m*h + masked),
				bytes: structure(b.Block, Dst) + int64(4*m+4*(m+b.Dst)*(k+h)),
			}.check(t)
			trial{
				name: name + "/dst", in: []tensor.Matrix{a.z, a.r, a.l, a.g}, out: []tensor.Matrix{s},
				run:  func(ctx *Ctx) { AttendGradDst(ctx, b.Block, a.Attention, a.z, a.r, a.l, a.g, s) },
				want: []ref.Matrix{a.destinations()}, rounds: 4 * rounds, work: int64(2*m*k + 14*m*h + 2*b.Dst*h + masked),
				bytes: structure(b.Block, Dst) + int64(4*m+4*(m+b.Dst)*(k+h)+16*b.Dst*h),
			}.check(t)
			trial{
				name: name + "/src", in: []tensor.Matrix{a.z, a.r, a.g, s}, out: []tensor.Matrix{d},
				run:  func(ctx *Ctx) { AttendGradSrc(ctx, b.Block, a.Attention, a.z, a.r, a.g, s, d) },
				want: []ref.Matrix{a.sources()}, rounds: 4*rounds + sumRounds(b.Block, Src), work: int64(4*m*k + 9*m*h + 2*masked),
				bytes: structure(b.Block, Src) + int64(4*m+4*m*(k+4*h)+8*b.Src*(k+h)),
			}.check(t)
		}
	}
}

// One edge has the weight 1 whatever its score is, so that scores have no
// gradient: exactly where it is pulled, but for rounding where it is pushed.
func TestAttentionOfOneEdge(t *testing.T) {
	for _, heads := range []int{1, 3, 8} {
		b := namedBlock{"loops", blockOf(40, 40, identity(40), identity(40))}
		a := newAttention(b, Attention{Heads: heads, Slope: 0.2}, 8*heads, 1)
		s, d := tensor.New(40, 4*heads), tensor.New(40, 9*heads)
		for _, isa := range variants() {
			contexts[1].using(isa, func(ctx *Ctx) {
				AttendGradDst(ctx, b.Block, a.Attention, a.z, a.r, a.l, a.g, s)
				AttendGradSrc(ctx, b.Block, a.Attention, a.z, a.r, a.g, s, d)
			})
			for v := range 40 {
				for h := range heads {
					// Two sums of eight products of at most 1, each added in its order.
					if pull, push := s.Row(v)[3*heads+h], d.Row(v)[8*heads+h]; pull != 0 || math.Abs(float64(push)) > 16*8*unit {
						t.Errorf("%v: vertex %d, head %d of %d: gradients %v and %v, want 0", isa, v, h, heads, pull, push)
					}
				}
			}
		}
	}
}

// A mask of the weights is that which Dropout applies to stored coefficients.
func TestAttentionMaskIsThatOfDropout(t *testing.T) {
	b := hubs(false)
	const heads = 3
	m := b.Edges()
	a := Attention{Heads: heads, Slope: 0.2, Mask: testMask(0.6), IDs: spacedIDs(m)}
	r, l := tensor.New(b.Src, heads), tensor.New(b.Dst, heads)
	// Row u of z has a one in column u of each head, so that y counts the edges
	// kept from each source.
	z, y := tensor.New(b.Src, heads*b.Src), tensor.New(b.Dst, heads*b.Src)
	for u := range b.Src {
		for h := range heads {
			z.Row(u)[h*b.Src+u] = 1
		}
	}
	Attend(contexts[2], b.Block, a, z, r, l, y)
	ones, w := tensor.New(m, heads), tensor.New(m, heads)
	fill(ones.Data, nil, nil, 1)
	Dropout(contexts[1], a.Mask, a.IDs, ones, w)
	for v := range b.Dst {
		count := make([]float64, heads*b.Src)
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			for h := range heads {
				count[h*b.Src+int(b.Col[e])] += float64(w.Row(int(e))[h])
			}
		}
		degree := float64(b.Ptr[v+1] - b.Ptr[v])
		for j, want := range count {
			// Half an edge is far more than sums of up to 6144 equal weights round.
			if got := float64(y.Row(v)[j]) * max(degree, 1); math.Abs(got-want) > 0.5 {
				t.Errorf("destination %d, column %d: edges kept weigh %v, want %v", v, j, got, want)
			}
		}
	}
}

// A score that is not a number stays with its destination and its head.
func TestAttentionKeepsNaN(t *testing.T) {
	for _, bad := range []float32{nan32, float32(math.Inf(1))} {
		b := blockOf(3, 3, []int32{0, 1, 2, 2, 0}, []int32{0, 0, 1, 2, 2})
		z, r, l, y := tensor.New(3, 4), tensor.New(3, 2), tensor.New(3, 2), tensor.New(3, 4)
		fill(z.Data, nil, nil, 1)
		r.Row(1)[1] = bad
		for _, isa := range variants() {
			contexts[0].using(isa, func(ctx *Ctx) { Attend(ctx, b, Attention{Heads: 2, Slope: 0.2}, z, r, l, y) })
			for i, v := range y.Data {
				if got, want := isNaN(v), i == 2 || i == 3; got != want {
					t.Errorf("%v, %v: value %d is %v", isa, bad, i, v)
				}
			}
		}
	}
}

func BenchmarkAttention(b *testing.B) {
	g := benchBlock(1<<15, 14)
	for _, w := range []struct{ k, heads int }{{64, 8}, {40, 1}, {256, 8}} {
		src := newSource(1)
		a := Attention{Heads: w.heads, Slope: 0.2}
		z, r, l, x := src.uniform(g.Src, w.k), src.uniform(g.Src, w.heads), src.uniform(g.Dst, w.heads), src.uniform(g.Dst, w.k)
		y, s, d := src.empty(g.Dst, w.k), src.empty(g.Dst, 4*w.heads), src.empty(g.Src, w.k+w.heads)
		for pass, run := range map[string]func(ctx *Ctx){
			"sum": func(ctx *Ctx) { Attend(ctx, g, a, z, r, l, y) },
			"dst": func(ctx *Ctx) { AttendGradDst(ctx, g, a, z, r, l, x, s) },
			"src": func(ctx *Ctx) { AttendGradSrc(ctx, g, a, z, r, x, s, d) },
		} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("graph=skewed15/k=%d/heads=%d/pass=%s/threads=%d", w.k, w.heads, pass, threads), func(b *testing.B) {
					ctx := &Ctx{Pool: NewPool(threads)}
					defer ctx.Pool.Close()
					for b.Loop() {
						run(ctx)
					}
					reportRate(b, ctx)
				})
			}
		}
	}
}
