package runtime_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
)

// halfWorlds are some of the worlds, with activations in bfloat16.
func halfWorlds(t *testing.T) (some []world) {
	for i, w := range worlds(t) {
		if w.storage = program.BFloat16Storage; i%5 == 0 {
			some = append(some, w)
		}
	}
	return some
}

// stores reports whether a program stores a value in bfloat16.
func stores(p *program.Program) bool {
	return slices.ContainsFunc(p.Nodes, func(n program.Node) bool { return n.Type.BFloat16 })
}

// TestBFloat16IsCountedExactly: work, bytes and the arena's highest byte are those
// predicted, for every model.
func TestBFloat16IsCountedExactly(t *testing.T) {
	for _, m := range model.All() {
		stored := 0
		for _, w := range halfWorlds(t) {
			for _, train := range []bool{false, true} {
				for _, skip := range []string{"", "fold"} {
					p := compile(t, m, w, train, skip)
					if stores(p) {
						stored++
					}
					t.Run(fmt.Sprintf("%s/%s/train=%v/passes=%q", w.name, m.Name, train, skip), func(t *testing.T) { checkExact(t, w, p) })
				}
			}
		}
		if stored == 0 {
			t.Errorf("%s stores nothing in bfloat16: the test shows nothing", m.Name)
		}
	}
}

// TestBFloat16OnData: the same on real graphs, dense and sparse.
func TestBFloat16OnData(t *testing.T) {
	for _, name := range []string{"karate", "cora"} {
		w := dataWorld(t, name)
		w.storage = program.BFloat16Storage
		for _, m := range model.All() {
			t.Run(name+"/"+m.Name, func(t *testing.T) { checkExact(t, w, compile(t, m, w, true, "")) })
		}
	}
}

// TestBFloat16IsNearFloat32: the loss is the reference's, which rounds nothing, up
// to the eight digits of what lies between. Each of three layers rounds its values,
// of size 1, once or twice by 2⁻⁹, and sums average the errors.
func TestBFloat16IsNearFloat32(t *testing.T) {
	for _, w := range halfWorlds(t) {
		for _, m := range model.All() {
			p := compile(t, m, w, true, "")
			s := session(t, w, runtime.Options{Seed: 3}, p)
			want, err := program.Interpret(p, reference(t, s, w, p))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(0, 4, w.target); err != nil {
				t.Fatalf("%s/%s: %v", w.name, m.Name, err)
			}
			loss, _ := s.Value(0, "loss")
			got, exact := float64(loss.Data[0]), want[p.Output("loss")].Data[0]
			if math.Abs(got-exact) > 12.0/512*max(1, math.Abs(exact)) {
				t.Errorf("%s/%s: loss %v, reference %v\n%v", w.name, m.Name, got, exact, p)
			}
		}
	}
}

// TestBFloat16OnAnyThreads: equal bits of losses and parameters, and no allocation.
func TestBFloat16OnAnyThreads(t *testing.T) {
	all := halfWorlds(t)
	w := all[len(all)-1]
	for _, m := range model.All() {
		p := compile(t, m, w, true, "")
		want := curve(t, session(t, w, runtime.Options{Threads: 1, Seed: 5}, p), w, 10)
		for _, threads := range []int{2, 3, 5} {
			s := session(t, w, runtime.Options{Threads: threads, Seed: 5}, p)
			if got := curve(t, s, w, 10); !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Errorf("%s: on %d threads other bits than on one", m.Name, threads)
			}
			step := uint32(10)
			if n := testing.AllocsPerRun(5, func() {
				if _, err := s.Run(0, step, w.target); err != nil {
					t.Fatal(err)
				}
				step++
			}); n != 0 {
				t.Errorf("%s on %d threads: %v allocations a step", m.Name, threads, n)
			}
		}
	}
}

// TestNonFiniteInBFloat16: an infinity that rounding makes is found where it is.
func TestNonFiniteInBFloat16(t *testing.T) {
	all := halfWorlds(t)
	w := all[len(all)-1]
	w.x = w.x.Clone()
	for i := range w.x.Data {
		w.x.Data[i] *= 1e38
	}
	m, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, w, runtime.Options{Seed: 3}, compile(t, m, w, true, ""))
	if _, err := s.Run(0, 0, w.target); err == nil || !strings.Contains(err.Error(), "in layer") {
		t.Errorf("got error %v, want one that names the layer", err)
	}
}
