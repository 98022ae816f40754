//go:build !unix

package launch

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// signalGroup ends the process: it can be sent nothing else.
func signalGroup(leader *os.Process, _ os.Signal) error { return leader.Kill() }
