package runtime_test

import (
	"strings"
	"testing"

	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// TestInputsAreGiven: a step tells of the input that it lacks; one of another shape,
// or that nothing reads, is refused.
func TestInputsAreGiven(t *testing.T) {
	w := worlds(t)[0]
	b := program.NewBuilder("twice")
	x := b.Input("x", program.Vertices, program.Cols(2))
	b.Output("sum", b.AddValues(x, b.Input("y", program.Vertices, program.Cols(2))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.New(w.g, runtime.Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one := tensor.New(w.g.N, 2)
	for i := range one.Data {
		one.Data[i] = 1
	}
	for _, name := range []string{"x", "y"} {
		if _, err := s.Run(0, 0, program.Target{}); err == nil || !strings.Contains(err.Error(), `no value of input "`+name+`"`) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := s.Bind(name, tensor.New(w.g.N, 3)); err == nil {
			t.Error("three columns of two are taken")
		}
		if err := s.Bind(name, one); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Run(0, 0, program.Target{}); err != nil {
		t.Fatal(err)
	}
	if sum, _ := s.Value(0, "sum"); sum.Data[0] != 2 {
		t.Errorf("1 + 1 = %v", sum.Data[0])
	}
	if err := s.Bind("z", one); err == nil {
		t.Error("an input that no program has is taken")
	}
}
