package main

import "github.com/spf13/cobra"

func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure weft on this machine",
		Long: `Measure weft on this machine. Whatever else runs meanwhile is in the numbers; a
command says what it does about that.`,
	}
	group(c)
	c.AddCommand(a.benchKernelsCommand(), a.benchTrainCommand(), a.benchInferCommand())
	return c
}
