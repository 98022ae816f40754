package program_test

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// kernelTolerance bounds the difference between a kernel's float32 and a
// reference's float64, relative to the largest value: sums of up to a few
// thousand terms of size 1, of which each rounds by 2⁻²⁴.
const kernelTolerance = 2e-5

// run is one op with its operands in a world, in both precisions.
type run struct {
	op   Op
	in   []Dense
	out  Type
	ref  *RefExec
	rows int
}

// newRun draws the operands of a case.
func newRun(t *testing.T, c opCase, w world, seed uint64) run {
	t.Helper()
	d := c.declare()
	p := d.build(t)
	x := d.exec(w, source(seed), p)
	vals, err := Interpret(p, &x)
	if err != nil {
		t.Fatal(err)
	}
	r := run{op: c.op, out: p.Type(d.y), ref: &x, rows: w.Rows(p.Type(d.y))}
	for i, v := range d.in {
		r.in = append(r.in, vals[v])
		if c.in[i].BFloat16 {
			r.in[i] = fromTensor(toTensor(vals[v], c.in[i].Type), c.in[i].Type)
		}
	}
	return r
}

// tensors returns the operands as kernels read them.
func (r run) tensors(c opCase) []tensor.Matrix {
	var out []tensor.Matrix
	for i, d := range r.in {
		out = append(out, toTensor(d, c.in[i].Type))
	}
	return out
}

// toTensor rounds values to what t is stored in, and writes indices as bits.
func toTensor(d Dense, t Type) tensor.Matrix {
	m := matrix(d)
	if t.Index {
		for i, v := range d.Data {
			kernel.SetBits(&m.Data[i], uint32(v))
		}
	}
	if t.BFloat16 {
		half := room(d.Rows, t)
		kernel.Narrow(&kernel.Ctx{}, m, half)
		return half
	}
	return m
}

// fromTensor is its inverse.
func fromTensor(m tensor.Matrix, t Type) Dense {
	if t.BFloat16 {
		wide := tensor.New(m.Rows, m.Cols)
		kernel.Widen(&kernel.Ctx{}, m, wide)
		return dense(wide)
	}
	d := dense(m)
	if t.Index {
		for i, v := range m.Data {
			d.Data[i] = float64(kernel.Bits(v))
		}
	}
	return d
}

// kernels returns the op's result over in, and what was counted.
func (r run) kernels(in []tensor.Matrix, out tensor.Matrix) (work, bytes int64) {
	x := newExec(r.ref)
	x.Target.Total = r.total()
	r.op.Run(x, in, out)
	return x.Count.Read()
}

// newExec returns what kernels need where references have x.
func newExec(x *RefExec) *Exec {
	e := &Exec{Ctx: &kernel.Ctx{}, N: x.N, NHat: x.NHat, X: x.X, Step: x.Step, Seed: x.Seed}
	e.Target = Target{Class: x.Target.Class, Value: matrix(x.Target.Value)}
	e.Target.Rows = x.Target.Rows
	return e
}

// total returns the denominator of the mean that op computes.
func (r run) total() int64 {
	switch r.op.(type) {
	case ValueLoss, ValueLossGrad:
		return kernel.CountValues(matrix(r.ref.Target.Value), r.ref.Target.Rows)
	}
	return kernel.CountClasses(r.ref.Target.Class, r.ref.Target.Rows)
}

// blank returns a matrix of NaN, which a kernel must overwrite.
func blank(rows, cols int) tensor.Matrix {
	m := tensor.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(math.NaN())
	}
	return m
}

// room returns a matrix of NaN for a value of type t.
func room(rows int, t Type) tensor.Matrix {
	m := blank(rows, t.Words())
	if t.BFloat16 {
		return m.AsBFloat16(t.Cols.N)
	}
	return m
}

// tolerance bounds how far a kernel's result of type t is from the reference: half
// of the last of eight digits where it is stored in bfloat16.
func tolerance(t Type) float64 {
	if t.BFloat16 {
		return kernelTolerance + 1.0/256
	}
	return kernelTolerance
}

// TestKernelsMatchReferences runs every op's kernel on every graph case: the
// value is the reference's, the work and bytes counted are those stated, the
// operands are left alone, and a result written over an operand has the same bits.
func TestKernelsMatchReferences(t *testing.T) {
	all := worlds(t)
	for i, c := range opCases() {
		if _, leaf := c.op.(Leaf); leaf || isEffect(c.op) {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			for j, w := range all {
				checkKernel(t, c, w, newRun(t, c, w, uint64(i+j)))
			}
		})
	}
}

func checkKernel(t *testing.T, c opCase, w world, r run) {
	t.Helper()
	in, out := r.tensors(c), room(r.rows, r.out)
	work, bytes := r.kernels(in, out)
	if got, want := fromTensor(out, r.out), r.op.Reference(r.ref, r.in); apart(got, want) > tolerance(r.out) {
		t.Errorf("%s: the kernel is %.3g apart from the reference", w.name, apart(got, want))
	}
	env := w.env(r.ref.Target)
	if want := c.Work.MustEval(env); work != want {
		t.Errorf("%s: the kernel counted work %d, expected %v = %d", w.name, work, c.Work, want)
	}
	if want := c.Bytes.MustEval(env); bytes != want {
		t.Errorf("%s: the kernel counted bytes %d, expected %v = %d", w.name, bytes, c.Bytes, want)
	}
	for k, m := range r.tensors(c) {
		if !m.AsWords().Equal(in[k].AsWords()) {
			t.Errorf("%s: operand %d was changed", w.name, k)
		}
	}
	if op, ok := c.op.(InPlace); ok && op.Over() >= 0 && in[op.Over()].BFloat16 == out.BFloat16 {
		over := in[op.Over()]
		r.kernels(in, over)
		if !over.AsWords().Equal(out.AsWords()) {
			t.Errorf("%s: over operand %d the result has other bits", w.name, op.Over())
		}
	}
}

// TestUpdates: the optimisers' kernels against their papers in float64, in the
// second step.
func TestUpdates(t *testing.T) {
	w := worlds(t)[1]
	for i, c := range opCases() {
		if !isEffect(c.op) {
			continue
		}
		r := newRun(t, c, w, uint64(i))
		r.ref.Step = 1
		r.in[2].Data[0] = 0.5
		in := r.tensors(c)
		work, bytes := r.kernels(in, tensor.Matrix{})
		env := w.env(r.ref.Target)
		if work != c.Work.MustEval(env) || bytes != c.Bytes.MustEval(env) {
			t.Errorf("%v: counted work %d and bytes %d, expected %v and %v", c, work, bytes, c.Work, c.Bytes)
		}
		want := updated(c.op, r.in)
		for k := range in {
			if apart(dense(in[k]), want[k]) > kernelTolerance {
				t.Errorf("%v: operand %d is %v, want %v", c, k, in[k].Data, want[k].Data)
			}
		}
	}
}

// updated returns what the operands are after an update in step 2.
func updated(op Op, in []Dense) []Dense {
	var out []Dense
	for _, d := range in {
		e := NewDense(d.Rows, d.Cols)
		copy(e.Data, d.Data)
		out = append(out, e)
	}
	rate := in[2].Data[0]
	for i, g := range in[1].Data {
		switch o := op.(type) {
		case SGD:
			if o.Momentum != 0 {
				g += float64(o.Momentum) * in[3].Data[i]
				out[3].Data[i] = g
			}
			out[0].Data[i] -= rate * g
		case Adam:
			m := 0.9*in[3].Data[i] + 0.1*g
			v := 0.999*in[4].Data[i] + 0.001*g*g
			out[3].Data[i], out[4].Data[i] = m, v
			m, v = m/(1-0.9*0.9), v/(1-0.999*0.999)
			out[0].Data[i] -= rate*float64(o.Decay)*in[0].Data[i] + rate*m/(math.Sqrt(v)+1e-8)
		}
	}
	return out
}
