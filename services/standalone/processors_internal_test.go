package standalone

import (
	"runtime"
	"testing"
)

func TestGoRunsBesideCommitsOnOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })

	runBesideCommits("1")
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d goroutines run at a time where somebody has set GOMAXPROCS to 1", n)
	}
	runBesideCommits("")
	if n := runtime.GOMAXPROCS(0); n != 2 {
		t.Errorf("%d goroutines run at a time on one processor, want 2", n)
	}
	runtime.GOMAXPROCS(3)
	runBesideCommits("")
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("%d goroutines run at a time on three processors", n)
	}
}
