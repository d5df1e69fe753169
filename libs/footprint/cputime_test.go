//go:build unix

package footprint

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is the CPU time of the process, which is more reliable than wall time on a busy machine.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// CPUTime is cpuTime for benchmarks outside the package.
var CPUTime = cpuTime
