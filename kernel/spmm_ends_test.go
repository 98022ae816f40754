package kernel

import (
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// endSteps are steps that the end of a row takes, over operands of rows×k.
func endSteps(s *source, rows, k int) map[endKind]TailStep {
	relu := Func{Kind: ReLU}
	return map[endKind]TailStep{
		endScale:     {Kind: ScaleRows, X: s.uniform(rows, 1)},
		endAdd:       {Kind: AddValues, X: s.uniform(rows, k)},
		endAddScaled: {Kind: AddMultiple, X: s.uniform(rows, k), S: s.scalar(0.3), Plus: 1},
		endReLU:      {Kind: ApplyFunc, Func: relu},
		endReLUGrad:  {Kind: ApplySlope, Func: relu, X: s.uniform(rows, k)},
	}
}

// TestSpMMEnds: every step at the end of a row has the bits of the step by itself,
// in every number of vectors, whole or not, one pass or several, rows without
// edges included, and reads nothing beside its operand.
func TestSpMMEnds(t *testing.T) {
	for _, k := range []int{1, 7, 8, 15, 16, 17, 24, 33, 40, 63, 64, 65, 90, 100, 112, 127, 129, 200, 300} {
		s := newSource(uint64(k))
		b := scattered(s, 70, 50, 400)
		x, got, want := s.uniform(b.Src, k), s.empty(b.Dst, k), tensor.New(b.Dst, k)
		steps := endSteps(s, b.Dst, k)
		lists := [][]TailStep{{steps[endAdd], steps[endScale], {Kind: AddRow, X: s.uniform(1, k)}, steps[endReLU]}}
		for _, step := range steps {
			lists = append(lists, []TailStep{step})
		}
		for _, list := range lists {
			for _, isa := range variants() {
				ctx := &Ctx{isa: &isa}
				SpMM(ctx, b, Dst, tensor.Matrix{}, x, want)
				for i := range list {
					list[i].run(ctx.values(), want, operandOf(list[i], b.Dst))
				}
				for _, step := range list {
					ctx.Then(step)
				}
				SpMM(ctx, b, Dst, tensor.Matrix{}, x, got)
				if !got.Equal(want) {
					t.Errorf("%v, %d columns, steps %v: the bits differ", isa, k, kinds(list))
				}
			}
		}
	}
}

func operandOf(s TailStep, rows int) tensor.Matrix {
	if s.Kind == AddRow {
		return repeated(s.X, rows)
	}
	return s.X
}

func kinds(list []TailStep) (all []StepKind) {
	for _, s := range list {
		all = append(all, s.Kind)
	}
	return all
}

// TestTakeEnds: steps are taken at the ends of rows where all of a tail can be,
// and nowhere else.
func TestTakeEnds(t *testing.T) {
	s := newSource(1)
	b := scattered(s, 20, 20, 60)
	taken := func(k int, steps ...TailStep) bool {
		ctx := &Ctx{}
		for _, step := range steps {
			ctx.Then(step)
		}
		SpMM(ctx, b, Dst, tensor.Matrix{}, s.uniform(b.Src, k), s.empty(b.Dst, k))
		return ctx.call.ended != nil
	}
	able := (&Ctx{}).sparse().sumEnded != nil
	for kind, step := range endSteps(s, b.Dst, 40) {
		if taken(40, step) != able {
			t.Errorf("a step of kind %d was taken: %v, want %v", kind, !able, able)
		}
	}
	scale := endSteps(s, b.Dst, 40)[endScale]
	for what, steps := range map[string][]TailStep{
		"no step":          nil,
		"another function": {{Kind: ApplyFunc, Func: Func{Kind: Tanh}}},
		"one that cannot":  {scale, {Kind: DropValues, Mask: testMask(0.5)}},
		"another gradient": {{Kind: ApplySlope, Func: Func{Kind: ELU, Param: 1}, X: s.uniform(b.Dst, 40)}},
		"rows in bfloat16": {{Kind: AddValues, X: s.halves(b.Dst, 40)}},
	} {
		if taken(40, steps...) {
			t.Errorf("%s was taken at the ends of rows", what)
		}
	}
	if taken(300, scale) {
		t.Errorf("a pass of more than %d vectors took a step", eachPass)
	}
}
