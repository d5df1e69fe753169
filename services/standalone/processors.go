package standalone

import "runtime"

// fewestProcessors is the minimum GOMAXPROCS with the embedded store. A commit blocks in a
// system call, and with it the processor (P) of the Go scheduler, until the runtime retakes it
// from long calls: after a tenth of a millisecond or more, as long as most commits take. With a
// single P nothing else would run during a commit.
const fewestProcessors = 2

// runBesideCommits lets goroutines run during a commit on a machine with one processor. The
// parameter is the value of the variable GOMAXPROCS; if it is set, nothing is changed.
func runBesideCommits(setting string) {
	if setting == "" && runtime.GOMAXPROCS(0) < fewestProcessors {
		runtime.GOMAXPROCS(fewestProcessors)
	}
}
