package analysis

import (
	"bytes"
	"cmp"
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

// Sent is what ranks send, by one rank's expression: Value is the sum over all
// ranks, Max that of the one that sends most.
type Sent struct {
	Quantity
	Max *int64 `json:"max"`
}

// at evaluates expressions; the zero at knows no sizes.
type at struct {
	env   cost.Env
	ranks []cost.Env // those of each of several ranks
}

// quantity is a cost that adds up over ranks.
func (a at) quantity(e cost.Expr) (Quantity, error) {
	s, err := a.over(e)
	return s.Quantity, err
}

// most is a cost of which the rank counts that has most.
func (a at) most(e cost.Expr) (Quantity, error) {
	s, err := a.over(e)
	return Quantity{e, s.Max}, err
}

// sent is what ranks send: 0 where they send nothing, whatever the sizes.
func (a at) sent(e cost.Expr) (Sent, error) {
	if e.IsZero() {
		return Sent{Quantity{e, new(int64)}, new(int64)}, nil
	}
	return a.over(e)
}

// over evaluates e on every rank.
func (a at) over(e cost.Expr) (Sent, error) {
	s := Sent{Quantity: Quantity{Expr: e}}
	if a.env == nil {
		return s, nil
	}
	ranks := a.ranks
	if ranks == nil {
		ranks = []cost.Env{a.env}
	}
	s.Value, s.Max = new(int64), new(int64)
	for _, env := range ranks {
		v, err := e.Eval(env)
		if err != nil {
			return s, fmt.Errorf("analysis: %w", err)
		}
		*s.Value, *s.Max = *s.Value+v, max(*s.Max, v)
	}
	return s, nil
}

// Costs is a cost.Cost with its values, and what is moved between ranks. Of
// several ranks, expressions are those of one; values are sums over all, but for
// the depth, which is the largest.
type Costs struct {
	Work  Quantity `json:"work"`  // scalar operations
	Depth Quantity `json:"depth"` // operations on the longest path
	Bytes Quantity `json:"bytes"` // read and written
	Words Sent     `json:"words"` // sent to other ranks: 0 on one
}

func (a at) costs(s spending) (q Costs, err error) {
	var errs [4]error
	q.Work, errs[0] = a.quantity(s.Work)
	q.Depth, errs[1] = a.most(s.Depth)
	q.Bytes, errs[2] = a.quantity(s.Bytes)
	q.Words, errs[3] = a.sent(s.Words)
	return q, cmp.Or(errs[:]...)
}

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
