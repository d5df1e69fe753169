package auth_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
)

// TestAChangeElsewhereReachesTwoGatewaysWithinASecond verifies in real time that a
// change by another process reaches two gateways within a second (statement 15).
func TestAChangeElsewhereReachesTwoGatewaysWithinASecond(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.follow()
	// Their clocks are real; the session's expiry is far away on both clocks.
	var gateways [2]*sessions.Checker
	for i := range gateways {
		gateways[i] = sessions.NewChecker(sessions.Options{Copy: sessions.NewCopy(b.redis), Authority: sessions.NewRemote(b.base, nil)})
	}
	beside, err := auth.NewAccounts(auth.AccountsDeps{Store: b.store, Hasher: b.hasher})
	if err != nil {
		t.Fatal(err)
	}
	change := func() (took time.Duration) {
		in := b.signIn("ada@example.com")
		p, err := b.service.Verify(t.Context(), in.access)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gateways {
			if s, err := g.Check(identity.WithToken(t.Context(), in.access), p.Session); err != nil || !s.Admits(p) {
				t.Fatalf("%+v, %v", s, err)
			}
		}
		if err := beside.DisableUser(t.Context(), "o1", b.ada.ID); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, g := range gateways {
			testkit.Eventually(t, 30*time.Second, func() error {
				s, err := g.Check(identity.WithToken(t.Context(), in.access), p.Session)
				if err == nil && s.Admits(p) {
					err = errors.New("the disabled user is admitted")
				}
				return err
			})
		}
		return time.Since(began)
	}
	// A machine that is briefly busy must not fail the test.
	testkit.Eventually(t, 30*time.Second, func() error {
		took := change()
		if took <= time.Second {
			return nil
		}
		if err := beside.EnableUser(t.Context(), "o1", b.ada.ID); err != nil {
			t.Fatal(err)
		}
		return fmt.Errorf("it took %v", took)
	})
}
