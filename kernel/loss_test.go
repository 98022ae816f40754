package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// lossCase is what a loss is taken over: rows that are listed, targets that are missing.
type lossCase struct {
	n, c  int
	rows  []int32
	class []int32
	value tensor.Matrix
}

// lossCases lists all rows or some, with targets present, missing and partly so.
func lossCases() (all []lossCase) {
	for i, s := range [][2]int{{0, 3}, {1, 1}, {4, 2}, {30, 7}, {20000, 5}} {
		for _, missing := range []float32{0, 0.3, 1} {
			for _, listed := range []bool{false, true} {
				src := newSource(uint64(i))
				l := lossCase{n: s[0], c: s[1], class: make([]int32, s[0]), value: tensor.New(s[0], s[1])}
				for r := range l.n {
					l.class[r] = Missing
					if src.Float32() >= missing {
						l.class[r] = int32(src.Uint32n(uint32(l.c)))
					}
					for j := range l.c {
						l.value.Row(r)[j] = nan32
						if src.Float32() >= missing {
							l.value.Row(r)[j] = float32(src.Uint32n(2))
						}
					}
				}
				if listed {
					l.rows = []int32{}
					for r := l.n - 1; r >= 0; r -= 3 {
						l.rows = append(l.rows, int32(r))
					}
				}
				all = append(all, l)
			}
		}
	}
	return all
}

func (l lossCase) name() string {
	return fmt.Sprintf("%d×%d/listed=%d/labelled=%d", l.n, l.c, len(l.rows), CountClasses(l.class, l.rows))
}

// listed returns 1 for the rows that are listed, and their number.
func (l lossCase) listed() (in []float64, n int64) {
	in = make([]float64, l.n)
	if l.rows == nil {
		for i := range in {
			in[i] = 1
		}
		return in, int64(l.n)
	}
	for _, r := range l.rows {
		in[r] = 1
	}
	return in, int64(len(l.rows))
}

// crossEntropy is the loss by its definition, through a one-hot matrix.
func (l lossCase) crossEntropy(x ref.Matrix) float64 {
	in, _ := l.listed()
	hot, total := ref.New(l.n, l.c), 0.0
	for i, t := range l.class {
		if t >= 0 {
			hot.Set(i, int(t), in[i])
			total += in[i]
		}
	}
	if total == 0 {
		return 0
	}
	return -hot.Dot(ref.Softmax(x).Map(math.Log)) / total
}

// valueLoss is the mean of f over the targets that are there.
func (l lossCase) valueLoss(f func(x, t float64) float64, x ref.Matrix) float64 {
	in, _ := l.listed()
	sum, total := 0.0, 0.0
	for i := range l.n {
		for j, t := range l.value.Row(i) {
			if !isNaN(t) && in[i] == 1 {
				sum += f(x.At(i, j), float64(t))
				total++
			}
		}
	}
	return sum / math.Max(total, 1)
}

func ifList(rows []int32) int64 { return 4 * int64(len(rows)) }

func one(v float64) ref.Matrix { return ref.Full(1, 1, v) }

func TestCrossEntropy(t *testing.T) {
	for i, l := range lossCases() {
		src := newSource(uint64(i))
		x, g, d, loss := src.within(-3, 3, l.n, l.c), src.scalar(0.5), src.empty(l.n, l.c), src.empty(1, 1)
		_, r := l.listed()
		s, c := CountClasses(l.class, l.rows), int64(l.c)
		items := Items{Rows: l.rows, Total: s}
		trial{
			name: "loss/" + l.name(),
			in:   []tensor.Matrix{x}, out: []tensor.Matrix{loss},
			run:    func(ctx *Ctx) { CrossEntropy(ctx, x, l.class, items, loss) },
			want:   []ref.Matrix{one(l.crossEntropy(ref.Of(x)))},
			rounds: 16, work: s*(4*c+3) + 1, bytes: 4*(r+s*c+1) + ifList(l.rows),
		}.check(t)
		trial{
			name: "grad/" + l.name(),
			in:   []tensor.Matrix{x, g}, out: []tensor.Matrix{d},
			run:    func(ctx *Ctx) { CrossEntropyGrad(ctx, x, l.class, items, g, d) },
			want:   []ref.Matrix{l.crossEntropyGrad(ref.Of(x)).Scale(0.5)},
			rounds: 16, work: s*(6*c+1) + 1, bytes: 4*(1+r+s*c+int64(l.n)*c) + ifList(l.rows),
		}.check(t)
		direction := ref.Of(src.uniform(l.n, l.c))
		want := ref.Derivative(l.crossEntropy, ref.Of(x), direction) * 0.5
		// A mean of float32 values of at most 1; the differences are good to 1e−8.
		if got := ref.Of(d).Dot(direction); !near(got, want, 1e-6) {
			t.Errorf("%s: derivative %v, want %v", l.name(), got, want)
		}
	}
}

func (l lossCase) crossEntropyGrad(x ref.Matrix) ref.Matrix {
	in, _ := l.listed()
	p := ref.Softmax(x)
	s := float64(CountClasses(l.class, l.rows))
	d := ref.New(l.n, l.c)
	for i, t := range l.class {
		if t < 0 || in[i] == 0 {
			continue
		}
		for j := range l.c {
			d.Set(i, j, p.At(i, j)/s)
		}
		d.Set(i, int(t), (p.At(i, int(t))-1)/s)
	}
	return d
}

func TestValueLoss(t *testing.T) {
	for kind, f := range map[Loss]struct {
		value     func(x, t float64) float64
		work, wgr int64
	}{
		SquaredError:  {func(x, t float64) float64 { return (x - t) * (x - t) }, 3, 3},
		AbsoluteError: {func(x, t float64) float64 { return math.Abs(x - t) }, 3, 3},
		LogisticError: {func(x, t float64) float64 {
			p := 1 / (1 + math.Exp(-x))
			return -t*math.Log(p) - (1-t)*math.Log(1-p)
		}, 8, 3},
	} {
		for i, l := range lossCases() {
			src := newSource(uint64(i))
			x, g, d, loss := src.within(-3, 3, l.n, l.c), src.scalar(0.5), src.empty(l.n, l.c), src.empty(1, 1)
			_, r := l.listed()
			s, c := CountValues(l.value, l.rows), int64(l.c)
			items := Items{Rows: l.rows, Total: s}
			value := func(x ref.Matrix) float64 { return l.valueLoss(f.value, x) }
			trial{
				name: kind.String() + "/" + l.name(),
				in:   []tensor.Matrix{x, l.value}, out: []tensor.Matrix{loss},
				run:    func(ctx *Ctx) { ValueLoss(ctx, kind, x, l.value, items, loss) },
				want:   []ref.Matrix{one(value(ref.Of(x)))},
				rounds: 16, work: s*f.work + 1, bytes: 4*(2*r*c+1) + ifList(l.rows),
			}.check(t)
			const h = 1e-5
			slope := ref.Of(x).Zip(ref.Of(l.value), func(x, t float64) float64 {
				if math.IsNaN(t) {
					return 0
				}
				return (f.value(x+h, t) - f.value(x-h, t)) / (2 * h) * 0.5 / math.Max(1, float64(s))
			})
			in, _ := l.listed()
			for i := range l.n {
				for j := range l.c {
					slope.Set(i, j, slope.At(i, j)*in[i])
				}
			}
			trial{
				name: kind.String() + "/grad/" + l.name(),
				in:   []tensor.Matrix{x, l.value, g}, out: []tensor.Matrix{d},
				run:    func(ctx *Ctx) { ValueLossGrad(ctx, kind, x, l.value, items, g, d) },
				want:   []ref.Matrix{slope},
				rounds: 32, // the differences are good to 1e−9
				work:   s*f.wgr + 1, bytes: 4*(1+2*r*c+int64(l.n)*c) + ifList(l.rows),
			}.check(t)
		}
	}
	if lossSpecs[losses-1].name == "" {
		t.Error("a loss has no name")
	}
}

// Missing labels: [[0, NaN], [1, 1]] at logits 0 is ln 2, and all missing is 0.
func TestMissingLabels(t *testing.T) {
	x, loss, d, g := tensor.New(2, 2), tensor.New(1, 1), tensor.New(2, 2), mat(1, 1, 1)
	target := mat(2, 2, 0, nan32, 1, 1)
	items := Items{Total: CountValues(target, nil)}
	ValueLoss(contexts[0], LogisticError, x, target, items, loss)
	if math.Abs(float64(loss.Data[0])-0.693147) > 1e-6 {
		t.Errorf("loss %v, want 0.693147", loss.Data[0])
	}
	ValueLossGrad(contexts[0], LogisticError, x, target, items, g, d)
	for i, want := range []float32{0.5 / 3, 0, -0.5 / 3, -0.5 / 3} {
		if math.Abs(float64(d.Data[i]-want)) > unit {
			t.Errorf("gradient %d is %v, want %v", i, d.Data[i], want)
		}
	}
	target = mat(2, 2, nan32, nan32, nan32, nan32)
	ValueLoss(contexts[0], LogisticError, x, target, Items{}, loss)
	ValueLossGrad(contexts[0], LogisticError, x, target, Items{}, g, d)
	if loss.Data[0] != 0 || ref.Of(d).MaxAbs() != 0 {
		t.Errorf("all missing: loss %v and gradient %v, want 0", loss.Data[0], d.Data)
	}
}

// Losses of the parts of a batch, over one Total, add up to that of the whole.
func TestLossesOfPartsAddUp(t *testing.T) {
	l := lossCases()[19]
	x := newSource(9).within(-3, 3, l.n, l.c)
	total := CountClasses(l.class, nil)
	var sum float64
	loss := tensor.New(1, 1)
	for _, rows := range [][2]int32{{0, 7}, {7, 8}, {8, int32(l.n)}} {
		var list []int32
		for r := rows[0]; r < rows[1]; r++ {
			list = append(list, r)
		}
		CrossEntropy(contexts[0], x, l.class, Items{Rows: list, Total: total}, loss)
		sum += float64(loss.Data[0])
	}
	CrossEntropy(contexts[0], x, l.class, Items{Total: total}, loss)
	if want := float64(loss.Data[0]); !near(sum, want, 8*unit*want) {
		t.Errorf("parts sum to %v, the whole is %v", sum, want)
	}
}

// Logits far apart keep the loss finite: it is their difference.
func TestLossesOfLargeLogits(t *testing.T) {
	loss := tensor.New(1, 1)
	CrossEntropy(contexts[0], mat(1, 2, 500, -500), []int32{1}, Items{Total: 1}, loss)
	if loss.Data[0] != 1000 {
		t.Errorf("cross-entropy %v, want 1000", loss.Data[0])
	}
	ValueLoss(contexts[0], LogisticError, mat(1, 2, 500, -500), mat(1, 2, 0, 1), Items{Total: 2}, loss)
	if loss.Data[0] != 500 {
		t.Errorf("logistic error %v, want 500", loss.Data[0])
	}
}
