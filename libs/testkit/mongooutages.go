package testkit

import (
	"errors"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// failing are transient failures of the server: a write conflict, an internal error, an
// exceeded time limit, a lost cursor. Short runs try the first.
var failing = []int32{112, 1, 262, 43}

// RequireUnavailableDuringOutages calls every method of a store with interface S and makes all of its
// commands from the nth on fail, for each n. The method must return UNAVAILABLE, never
// an error that is reported as a fault of the program. The arguments are generated, so
// errors about them are permitted. Methods named in silent are not called.
func RequireUnavailableDuringOutages[S any](t *testing.T, between *MongoFaults, store S, silent []string, expected ...error) {
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
			const most = 9 // commands, each unlike the ones before
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
					t.Errorf("%s returns %s if command %d fails with code %d: %v", name, apperr.CodeOf(err), nth, code, err)
				}
				if !met {
					break
				}
			}
		}
	})
}
