package program

import (
	"fmt"
	"math"
	"strconv"
)

// prices remembers what operations cost at the sizes at hand. Programs that are
// weighed against each other differ in few operations, and the layers of one
// program are alike: most prices are asked for many times.
type prices map[string]float64

// price is what a choice is made by: scalar operations plus words moved per
// step, what runs once being spread over the run's steps.
func price(p *Program, f Facts) float64 {
	sum := 0.0
	for _, n := range p.Nodes {
		sum += f.perStep(f.price(p, n), n.Stage)
	}
	return sum
}

// perStep spreads the price of what runs once over the run's steps.
func (f Facts) perStep(c float64, s Stage) float64 {
	if s == Pre {
		c /= float64(max(1, f.Steps))
	}
	return c
}

// price returns the operations and words of one node, from memory where an
// operation of the same attributes and sizes was priced before.
func (f Facts) price(p *Program, n Node) float64 {
	key := p.priceKey(n)
	if c, known := f.prices[key]; known {
		return c
	}
	c := f.priceOf(n.Op, p.types(n.In), n.Type)
	if f.prices != nil {
		f.prices[key] = c
	}
	return c
}

// priceOf returns the operations and words of an operation.
func (f Facts) priceOf(op Op, in []Type, out Type) float64 {
	cost := op.Cost(in, out)
	work, err1 := cost.Work.Eval(f.Env)
	bytes, err2 := cost.Bytes.Eval(f.Env)
	if err1 != nil || err2 != nil {
		return math.Inf(1)
	}
	return float64(work) + float64(bytes)/4
}

// priceKey is equal for nodes of equal price: a cost is a function of the
// operation and of the numbers in its types, whatever their symbols are called.
func (p *Program) priceKey(n Node) string {
	key := fmt.Appendf(nil, "%#v", anySite(n.Op))
	for _, v := range n.In {
		key = p.Nodes[v].Type.appendSize(key)
	}
	return string(n.Type.appendSize(key))
}

func (t Type) appendSize(b []byte) []byte {
	b = append(b, ' ')
	for _, n := range []int{int(t.Space), t.Rows.N, t.Cols.N} {
		b = append(strconv.AppendInt(b, int64(n), 10), '/')
	}
	return strconv.AppendBool(b, t.BFloat16)
}

// anySite returns an op without the site of its random numbers, which differs
// between layers that are alike and costs nothing.
func anySite(op Op) Op {
	switch o := op.(type) {
	case Dropout:
		o.Site = 0
		return o
	case Attention:
		o.Mask.Site = 0
		return o
	}
	return op
}
