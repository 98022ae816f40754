package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/program"
)

var exchangeNames = [...]string{program.AfterProducts: "after", program.BeforeProducts: "before", program.FewerWords: "auto"}

// haloNames are what Recompute is written as.
var haloNames = [...]string{"communicate", "recompute"}

// sided reports whether there is a choice of where rows are exchanged: ranks that have
// the rows of all vertices exchange none, and those of ThreeD columns for rows.
func (p Plan) sided() bool { return !p.whole() && p.Algorithm != ThreeD }

// Plain is the plan without a choice of where among the operations on rows these are
// exchanged.
func (p Plan) Plain() Plan {
	p.Exchange, p.Recompute = program.AfterProducts, false
	return p
}

// ParseExchange returns the side called name.
func ParseExchange(name string) (program.Side, error) {
	i := slices.Index(exchangeNames[:], name)
	if i < 0 {
		names := exchangeNames[:]
		return 0, fmt.Errorf("plan: exchange %q is not one of %s%s", name, strings.Join(names, ", "), nearest.DidYouMean(name, names))
	}
	return program.Side(i), nil
}
