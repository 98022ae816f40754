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

// TestProgramsShareParametersAlike: programs that have different pieces of a parameter
// would read each other's as their own, and are refused.
func TestProgramsShareParametersAlike(t *testing.T) {
	w := worlds(t)[0]
	reads := func(rows, cols int, f program.Fragment) *program.Program {
		b := program.NewBuilder("reads")
		p := program.Param{Name: "w", Of: program.Type{Space: program.One, Rows: program.Cols(rows), Cols: program.Cols(cols)}, Fragment: f}
		b.Output("twice", b.AddValues(b.Add(p), b.Add(p)))
		q, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	full := program.Type{Space: program.One, Rows: program.Cols(4), Cols: program.Cols(4)}
	rows, columns := reads(2, 4, program.Fragment{By: program.Rows, Full: full}), reads(4, 2, program.Fragment{By: program.Columns, Full: full})
	if _, err := runtime.New(w.g, runtime.Options{}, rows, columns); err == nil || !strings.Contains(err.Error(), "another piece of param.w") {
		t.Errorf("rows in one and columns in the other: %v", err)
	}
	s, err := runtime.New(w.g, runtime.Options{}, rows, rows)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
