package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/infer"
)

func (a *app) embedCommand() *cobra.Command {
	w := &written{applied: applied{app: a}, name: "embedding.csv"}
	c := &cobra.Command{
		Use:   "embed",
		Short: "Write a trained model's last hidden layer, a vector per vertex",
		Long: `Write, for every vertex under its own id, what the last layer of a trained
model reads: the output of the last hidden layer, h_v after its activation, in
the columns h_0, h_1, …. A model of one layer has no hidden one and gives back
its features.

Data, and the forms of files, are as for weft predict.`,
		Example: `  weft embed --run runs/gcn-cora-0-1 --out cora.npy
  weft embed --run runs/gat-people-0-1 --out people.parquet --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return w.run(c, func() (*infer.Table, error) {
				h, err := w.model.Embed(w.set)
				if err != nil {
					return nil, err
				}
				return infer.EmbeddingTable(h, w.set.IDs), nil
			})
		},
	}
	w.register(c)
	return c
}
