// Command asm writes the assembly of the kernels. It runs in the folder of
// package kernel:
//
//	go run ./internal/asm FAMILY
//
// writes FAMILY_amd64.s and FAMILY_amd64.go, which declares its functions.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
)

// families are the groups of functions that one pair of files holds. Avo
// gathers functions in a global, so that each run of the command builds one.
var families = map[string]func(){
	"matmul":    matmul,
	"peak":      peak,
	"edge":      edge,
	"spmm":      spmm,
	"softmax":   softmax,
	"values":    values,
	"rows":      rowLoops,
	"philox":    philox,
	"sums":      sums,
	"attention": attention,
	"attend":    attend,
	"narrow":    narrow,
	"step":      steps,
}

func main() {
	if len(os.Args) != 2 || families[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: asm FAMILY, one of those in main.go")
		os.Exit(2)
	}
	family := os.Args[1]
	out := []string{"-pkg", "kernel", "-out", family + "_amd64.s", "-stubs", family + "_amd64.go"}
	if err := flag.CommandLine.Parse(out); err != nil {
		os.Exit(2)
	}
	build.ConstraintExpr("amd64,!noasm")
	families[family]()
	build.Generate()
}
