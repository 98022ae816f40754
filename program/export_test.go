package program

// Extend starts a builder that appends to a copy of p, as Grad does.
func Extend(p *Program) *Builder { return extend(p) }

// Run runs a pass.
func (p Pass) Run(q *Program, f Facts) (*Program, error) { return p.run(q, f) }

// The moves and the price of Reorder, for comparison with all orders.
var (
	ProductFirst = productFirst
	ProductLast  = productLast
	ProductsOf   = productsOf
	Outcome      = outcome
	MaxOrders    = maxOrders
)
