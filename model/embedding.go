package model

import "github.com/weft-gnn/weft/program"

// DeclareEmbedding declares the layers before the last: from the input "x" to
// the output "embedding", a row per vertex of what the last layer reads, its
// activation applied. With one layer that is x itself.
func (m Model) DeclareEmbedding(w Widths, o Options) (*program.Program, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := program.NewBuilder(m.Name)
	b.Output("embedding", m.hidden(b, w, o))
	return b.Build()
}
