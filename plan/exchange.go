package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/program"
)

var exchangeNames = [...]string{program.AfterProducts: "after", program.BeforeProducts: "before", program.FewerWords: "auto"}

var backwardNames = [...]string{program.ReturnSums: "sums", program.ReturnRows: "rows", program.ReturnFewer: "auto"}

// haloNames are what Recompute is written as.
var haloNames = [...]string{"communicate", "recompute"}

// sided reports whether there is a choice of where rows are exchanged: ranks that have
// the rows of all vertices exchange none, and those of ThreeD columns for rows.
func (p Plan) sided() bool { return !p.whole() && p.Algorithm != ThreeD }

// Plain is the plan without a choice of where among the operations on rows these are
// exchanged.
func (p Plan) Plain() Plan {
	p.Exchange, p.Recompute, p.Backward = program.AfterProducts, false, program.ReturnSums
	return p
}

// choose returns which of the values of a key, in order, is called so.
func choose(key, value string, of []string) (int, error) {
	i := slices.Index(of, value)
	if i < 0 {
		return 0, fmt.Errorf("plan: %s %q is not one of %s%s", key, value, strings.Join(of, ", "), nearest.DidYouMean(value, of))
	}
	return i, nil
}
