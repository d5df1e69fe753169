package standalone

import "runtime"

// fewestProcessors is how many goroutines run at a time where the data are in the embedded
// store. A commit waits for the disk in a system call, and with it waits what Go runs
// goroutines on, until the runtime takes that back from calls that last: after a tenth of a
// millisecond and more, which is as long as most commits take. With a single one nothing else
// would run beside a commit.
const fewestProcessors = 2

// runBesideCommits lets Go run goroutines beside a commit on a machine of one processor. The
// setting is that of GOMAXPROCS; who has set it is left alone.
func runBesideCommits(setting string) {
	if setting == "" && runtime.GOMAXPROCS(0) < fewestProcessors {
		runtime.GOMAXPROCS(fewestProcessors)
	}
}
