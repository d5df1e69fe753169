//go:build race

package testkit

// raceEnabled tells whether the test was built with the race detector.
const raceEnabled = true
