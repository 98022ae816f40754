package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/weft-gnn/weft/cost"
)

// Quantity is a cost: its exact expression, and its value where the sizes are
// known. In JSON the value is null without data.
type Quantity struct {
	Expr  cost.Expr `json:"expr"`
	Value *int64    `json:"value"`
}

// at evaluates expressions; the zero at knows no sizes.
type at struct{ env cost.Env }

func (a at) quantity(e cost.Expr) (Quantity, error) {
	if a.env == nil {
		return Quantity{Expr: e}, nil
	}
	v, err := e.Eval(a.env)
	if err != nil {
		return Quantity{}, fmt.Errorf("analysis: %w", err)
	}
	return Quantity{e, &v}, nil
}

// Costs is a cost.Cost with its values, and what is moved between ranks.
type Costs struct {
	Work  Quantity `json:"work"`  // scalar operations
	Depth Quantity `json:"depth"` // operations on the longest path
	Bytes Quantity `json:"bytes"` // read and written
	Words Quantity `json:"words"` // sent to other ranks: 0 on one
}

func (a at) costs(c cost.Cost) (q Costs, err error) {
	q.Words = none()
	for _, part := range []struct {
		to *Quantity
		e  cost.Expr
	}{{&q.Work, c.Work}, {&q.Depth, c.Depth}, {&q.Bytes, c.Bytes}} {
		if *part.to, err = a.quantity(part.e); err != nil {
			return Costs{}, err
		}
	}
	return q, nil
}

// none is 0, whatever the sizes: one rank sends nothing.
func none() Quantity { return Quantity{cost.Int(0), new(int64)} }

// Expr returns the expressions.
func (c Costs) Expr() cost.Cost {
	return cost.Cost{Work: c.Work.Expr, Depth: c.Depth.Expr, Bytes: c.Bytes.Expr}
}

// Intensity is W/bytes, in operations per byte; 0 where nothing is known or moved.
func (c Costs) Intensity() float64 { return ratio(c.Work, c.Bytes) }

// Parallelism is W/D; 0 where nothing is known or deep.
func (c Costs) Parallelism() float64 { return ratio(c.Work, c.Depth) }

func ratio(a, b Quantity) float64 {
	if a.Value == nil || b.Value == nil || *b.Value == 0 {
		return 0
	}
	return float64(*a.Value) / float64(*b.Value)
}

// Symbol is a size: its name, what it stands for, and its value where known.
type Symbol struct {
	Name, Meaning string
	Value         *int64
}

// Symbols are the sizes that expressions are stated in, in the order in which
// they are introduced; in JSON an object from names to values.
type Symbols []Symbol

// MarshalJSON writes {"n": 34, …}, and null for values that are not known.
func (s Symbols) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Value returns the value of the symbol called name, and whether it is known.
func (s Symbols) Value(name string) (int64, bool) {
	for _, x := range s {
		if x.Name == name && x.Value != nil {
			return *x.Value, true
		}
	}
	return 0, false
}
