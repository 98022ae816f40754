package launch_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gnn/weft/launch"
)

// Work that is lost halfway goes on from what it kept.
func Example() {
	kept := 0
	err := launch.Job{
		First: 1, Restarts: 3, Pause: time.Millisecond,
		Attempt: func(_ context.Context, number int) error {
			for kept < 10 {
				if kept++; kept == 6 && number == 1 {
					return errors.New("a host was lost")
				}
			}
			return nil
		},
		Finished: func() (bool, error) { return kept == 10, nil },
		Tell:     func(e launch.Ended) { fmt.Printf("attempt %d: finished %v, %v\n", e.Attempt, e.Finished, e.Err) },
	}.Do(context.Background())
	fmt.Println(err)
	// Output:
	// attempt 1: finished false, a host was lost
	// attempt 2: finished true, <nil>
	// <nil>
}
