package testkit

import "testing"

// EachCommandIsTheLast runs an operation once for each of its commands, of which that one is
// the last: the server executes it and no later one, as if the process died then. check is
// called after each run, and prepare before. It looks for what repairs a half of an operation,
// so its clients must not be those of between.
func EachCommandIsTheLast(t *testing.T, between *MongoFaults, prepare func() (operation func() error, check func() error)) {
	t.Helper()
	for nth := 1; ; nth++ {
		operation, check := prepare()
		between.Fail("any", nth, Fault{Code: 11600, Done: true, Lasts: true})
		_ = operation() // whatever it returns, nobody receives it
		met := between.Met()
		between.Fail("", 0, Fault{})
		if !met && nth == 1 {
			t.Fatal("the operation sent no command")
		}
		if err := check(); err != nil {
			t.Errorf("after command %d: %v", nth, err)
		}
		if !met {
			return
		}
	}
}
