package program

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/tensor"
)

// Exchange is a collective in which every rank sends pieces of its operand to others
// and receives pieces of its result, which can be begun and awaited apart.
type Exchange interface {
	Collective
	along() Axis
	// pieces stores what goes to each rank, and room for what comes from it.
	pieces(x *Exec, in, out tensor.Matrix, send, recv [][]float32)
}

// Unfinished is an op whose result is not whole: other ops complete it in place.
type Unfinished interface {
	Op
	Unfinished()
}

// Begin starts an exchange, and Await ends it. What runs between them hides it:
//
//	boundary → Begin → halo under way → Await(boundary, halo under way) → halo
//
// Both read what is sent, so that its place is kept until it has gone; what is
// received is written where Begin's result lies, which is Await's.
type Begin struct {
	afterGrad
	Of     Exchange
	Number int // among the exchanges of a program that are under way at some time
}

func (o Begin) String() string { return fmt.Sprintf("Begin %v", o.Of) }

// Shape is the exchange's.
func (o Begin) Shape(in []Type) (Type, error) { return o.Of.Shape(in) }

// Cost is the exchange's.
func (o Begin) Cost(in []Type, out Type) cost.Cost { return o.Of.Cost(in, out) }

// Traffic is the exchange's.
func (o Begin) Traffic(in []Type, out Type) Traffic { return o.Of.Traffic(in, out) }

// Unfinished: nothing has arrived.
func (Begin) Unfinished() {}

// Reference is the exchange's.
func (o Begin) Reference(x *RefExec, in []Dense) Dense { return o.Of.Reference(x, in) }

// Run starts to send and to receive. It panics with the communicator's error.
func (o Begin) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	c := x.Rank.Along(o.Of.along())
	f := x.Rank.flight(o.Number)
	f.make(c.Size())
	o.Of.pieces(x, in[0], out, f.send, f.recv)
	running, err := c.Begin(f.send, f.recv)
	if err != nil {
		panic(err)
	}
	f.running = running
	x.Count.Add(0, 4*int64(len(in[0].Flat())+len(out.Flat())))
}

// Await returns what an exchange brings.
type Await struct {
	afterGrad
	Of     Exchange
	Number int // of the Begin
}

func (o Await) String() string { return fmt.Sprintf("Await %v", o.Of) }

// Shape: what is sent and what Begin made of it to the latter.
func (o Await) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	t, err := o.Of.Shape(in[:1])
	if err == nil && !t.same(in[1]) {
		err = fmt.Errorf("%v awaits %v, got %v", o.Of, t, in[1])
	}
	return t, err
}

// Over is what Begin made, where the result is.
func (Await) Over() int { return 1 }

// Cost: none, it was the exchange's.
func (Await) Cost(_ []Type, _ Type) cost.Cost {
	return cost.Cost{Work: cost.Int(0), Depth: cost.Int(0), Bytes: cost.Int(0)}
}

// Reference of a single rank has what Begin received.
func (Await) Reference(_ *RefExec, in []Dense) Dense { return in[1] }

// Run waits. It panics with the communicator's error.
func (o Await) Run(x *Exec, _ []tensor.Matrix, _ tensor.Matrix) {
	if err := x.Rank.flight(o.Number).await(); err != nil {
		panic(err)
	}
}

// flight is an exchange that may be under way.
type flight struct {
	send, recv [][]float32
	running    *comm.Running
}

// make makes room for pieces of so many ranks.
func (f *flight) make(ranks int) {
	if len(f.send) != ranks {
		f.send, f.recv = make([][]float32, ranks), make([][]float32, ranks)
	}
}

// await returns when it has ended.
func (f *flight) await() error {
	if f.running == nil {
		return nil
	}
	err := f.running.Wait(context.Background())
	f.running = nil
	return err
}

// flight returns the exchange of a number.
func (r *Rank) flight(number int) *flight {
	for len(r.flights) <= number {
		r.flights = append(r.flights, &flight{})
	}
	return r.flights[number]
}

// Land waits for the exchanges that are under way where a step ended before they did:
// the memory that they read and write is theirs until then.
//
// Errors: the communicator's.
func (r *Rank) Land() (err error) {
	for _, f := range r.flights {
		if e := f.await(); err == nil {
			err = e
		}
	}
	return err
}
