package main

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/perf"
)

// counts is a flag of numbers, at least 1 each: 1,2.
type counts struct {
	most int
	all  []int
}

func (c *counts) Type() string { return "LIST" }

func (c *counts) String() string {
	var words []string
	for _, n := range c.all {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// Set reads numbers that commas join.
func (c *counts) Set(text string) error {
	c.all = nil
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > c.most {
			return fmt.Errorf("want whole numbers from 1 to %d, such as 1,2", c.most)
		}
		c.all = append(c.all, n)
	}
	return nil
}

// threadsListFlag declares a flag of several numbers of threads.
func threadsListFlag(c *cobra.Command, to *counts) {
	*to = counts{most: maxThreads, all: []int{runtime.NumCPU()}}
	c.Flags().Var(to, "threads", "numbers of threads, such as 1,2 (default: one per CPU, here "+to.String()+")")
}

// benchDataFlag declares a flag of several graphs.
func (a *app) benchDataFlag(c *cobra.Command, to *[]string, preset string) {
	*to = []string{preset}
	c.Flags().StringSliceVar(to, "data", *to, "`LIST` of sets or paths; arxiv@0.1 and the like are made: a KIND of weft data gen and its scale")
	complete(c, "data", a.completeData)
}

// checkData refuses synthetic graphs with an odd scale.
func checkData(names []string) error {
	for _, name := range names {
		if err := perf.CheckData(name); err != nil {
			return usage(fmt.Errorf("--data: %w", err))
		}
	}
	return nil
}
