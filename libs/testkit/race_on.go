//go:build race

package testkit

// raceEnabled reports whether the test was built with the race detector.
const raceEnabled = true
