package mpi_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/mpi"
)

// Every process of mpirun -np N adds its rank to those of the others; one that
// fails ends the job.
func Example() {
	world, err := mpi.World()
	if err != nil {
		log.Fatal(err)
	}
	c := comm.New(world, &comm.Watch{Limit: time.Minute})
	sum := []float32{float32(c.Rank())}
	if err := c.AllReduce(context.Background(), sum, comm.Sum); err != nil {
		log.Print(err)
		c.Abort(err)
	}
	fmt.Println(sum)
	if err := c.Close(); err != nil {
		log.Fatal(err)
	}
}
