//go:build unix

package launch

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a new process group.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup signals all processes of a leader's group.
func signalGroup(leader *os.Process, s os.Signal) error {
	number, ok := s.(syscall.Signal)
	if !ok {
		return fmt.Errorf("launch: %v is no signal of this system", s)
	}
	return syscall.Kill(-leader.Pid, number)
}
