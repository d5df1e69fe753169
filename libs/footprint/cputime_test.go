//go:build unix

package footprint

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is what the process has used of all cores, which on a busy machine
// says more than the clock.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// CPUTime is cpuTime for benchmarks outside the package.
var CPUTime = cpuTime
