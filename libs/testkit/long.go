package testkit

import (
	"os"
	"testing"
)

// Long reports whether tests run at full length: many rounds, large sizes, slow
// engines. `make test` runs the short courses, `make test-long` sets
// ECF_TEST_LONG and runs the long ones.
func Long(t testing.TB) bool {
	t.Helper()
	return os.Getenv("ECF_TEST_LONG") != ""
}

// OnlyLong skips a test that has no short course outside `make test-long`.
func OnlyLong(t testing.TB) {
	t.Helper()
	if !Long(t) {
		t.Skip("a long course: make test-long")
	}
}

// WithoutRace skips a test in a build with the race detector, which multiplies
// memory, time and allocations: for tests that measure them. `make test` runs such
// tests once more without it; the Makefile names them.
func WithoutRace(t testing.TB) {
	t.Helper()
	if raceEnabled {
		t.Skip("runs without the race detector")
	}
}
