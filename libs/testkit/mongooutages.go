package testkit

import (
	"errors"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// failing are failures that are the server's and pass: a conflict inside of it, one that
// it has no other word for, a limit of time, a cursor that is gone. The first is tried in
// short courses.
var failing = []int32{112, 1, 262, 43}

// OutagesAreTold calls every method of a store, given as an interface S, and fails all of
// its commands from the nth on, for each n: the method must return
// UNAVAILABLE, never an internal error. The
// arguments are artificial; expected lists the errors they may cause.
// It skips the methods named as silent.
func OutagesAreTold[S any](t *testing.T, between *MongoFaults, store S, silent []string, expected ...error) {
	t.Helper()
	codes := failing[:1]
	if Long(t) {
		codes = failing
	}
	EachMethod(t, store, func(name string, call func() error) {
		if slices.Contains(silent, name) {
			return
		}
		for _, code := range codes {
			const most = 9 // commands, of which none is like the ones before
			for nth := 1; nth <= most; nth++ {
				between.Fail("any", nth, Fault{Code: code, Lasts: true})
				err := call()
				met := between.Met()
				between.Fail("", 0, Fault{})
				if !met && nth == 1 {
					t.Errorf("%s sent no command: %v", name, err)
				}
				isExpected := slices.ContainsFunc(expected, func(e error) bool { return errors.Is(err, e) })
				if err != nil && met && !isExpected && apperr.CodeOf(err) != apperr.Unavailable {
					t.Errorf("%s is %s where command %d fails with code %d: %v", name, apperr.CodeOf(err), nth, code, err)
				}
				if !met {
					break
				}
			}
		}
	})
}
