package testkit

import (
	"os"
	"runtime/debug"
	"testing"
)

// Long reports whether tests run in full: many rounds, large sizes, slow engines. `make
// test` runs the short variants; `make test-long` sets ECF_TEST_LONG and runs the long
// ones.
func Long(t testing.TB) bool {
	t.Helper()
	return os.Getenv("ECF_TEST_LONG") != ""
}

// OnlyLong skips a test that has no short variant, except in `make test-long`.
func OnlyLong(t testing.TB) {
	t.Helper()
	if !Long(t) {
		t.Skip("runs only at full length: make test-long")
	}
}

// WithoutRace skips a test in a build with the race detector, which multiplies memory,
// time and allocations. It is for tests that measure them. `make test` runs such tests
// a second time without it; the Makefile lists them.
func WithoutRace(t testing.TB) {
	t.Helper()
	if raceEnabled {
		t.Skip("runs without the race detector")
	}
}

// Allocations is testing.AllocsPerRun without garbage collections: each would empty the
// pools, and how many fall into the runs depends on the heap and on the machine.
func Allocations(runs int, f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return testing.AllocsPerRun(runs, f)
}
