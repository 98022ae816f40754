package analysis

import "github.com/weft-gnn/weft/model"

// Spread reports what the ranks of a request's plan cost, and no more: laws and
// savings are those of one rank, and take most of the time.
func Spread(r Request) (*Report, error) {
	s, err := r.study()
	if err != nil {
		return nil, err
	}
	rep := &Report{}
	return rep, rep.spread(s, model.NamedWidths(s.Data.Features, s.Data.Classes, s.Options), at{env: s.sizes})
}
