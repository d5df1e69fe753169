package testkit

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

type spawnRequest struct {
	cmd  *exec.Cmd
	done chan<- error
}

// spawner starts child processes from one thread that never exits. The kernel kills a
// child when the thread that started it exits, so children die with this process,
// however it ends, and not earlier.
var spawner = sync.OnceValue(func() chan<- spawnRequest {
	requests := make(chan spawnRequest)
	go func() {
		runtime.LockOSThread()
		for r := range requests {
			r.done <- r.cmd.Start()
		}
	}()
	return requests
})

// spawn starts a command that does not outlive this process.
func spawn(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	done := make(chan error)
	spawner() <- spawnRequest{cmd, done}
	return <-done
}
