//go:build !linux

package testkit

import "os/exec"

// spawn starts a command. Only Linux can tie its life to that of this process;
// elsewhere it outlives a test process that is killed.
func spawn(cmd *exec.Cmd) error { return cmd.Start() }
