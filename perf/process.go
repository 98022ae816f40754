package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
)

// order is what a measuring process reads: a case, and the machine whose caches
// count.
type order struct {
	Case    TrainCase        `json:"case"`
	Machine *machine.Machine `json:"machine"`
}

// Process returns a measurer that runs a command for each case, so that the
// peak of its memory is the case's own. The command calls [Serve] with its
// standard input and output.
func Process(command func(ctx context.Context) *exec.Cmd) Measurer {
	return func(ctx context.Context, c TrainCase, m *machine.Machine) (*Measured, error) {
		text, err := json.Marshal(order{c, m})
		if err != nil {
			return nil, err
		}
		var out, complaints bytes.Buffer
		cmd := command(ctx)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &complaints
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("perf: %v: %w: %s", c, err, strings.TrimSpace(complaints.String()))
		}
		var found Measured
		if err := json.Unmarshal(out.Bytes(), &found); err != nil {
			return nil, fmt.Errorf("perf: %v: %w", c, err)
		}
		return &found, nil
	}
}

// Serve measures the case that it reads from in and writes what it found to out.
func Serve(ctx context.Context, in io.Reader, out io.Writer, lookup dataset.Options, peakRSS func() *int64) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("perf: no case to measure: %w", err)
	}
	if o.Machine == nil {
		return errors.New("perf: no machine to measure on")
	}
	if err := o.Machine.Validate(); err != nil {
		return err
	}
	d, err := Open(ctx, o.Case.Data, lookup)
	if err != nil {
		return err
	}
	found, err := o.Case.Measure(ctx, d, o.Machine, peakRSS)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(found)
}
