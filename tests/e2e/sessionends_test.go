package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestSessionsOfOneProcessEndWithinASecond verifies that all in one process admits no
// token more than a second after its session was ended, also by a command, which is
// another process, although the token has just been admitted (statement 15). With
// SQLite there is no copy of the sessions that could tell.
func TestSessionsOfOneProcessEndWithinASecond(t *testing.T) {
	t.Parallel()
	for name, prepare := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"ECF_DATA_DIR": t.TempDir()}
			prepare(t, env)
			s := start(t, env)
			var settings []string
			for name, value := range env {
				settings = append(settings, name+"="+value)
			}
			program := testkit.Binary(t, "services/standalone/cmd/ecf")
			admin := s.as(t, "admin@example.test")
			for what, end := range map[string]func(c *caller, id, email string){
				"logout": func(c *caller, _, _ string) { c.post("/auth/logout", nil).want(http.StatusOK) },
				"disabled": func(_ *caller, id, _ string) {
					admin.do(http.MethodPatch, "/users/"+id, map[string]any{"disabled": true}, nil).want(http.StatusOK)
				},
				"demoted": func(_ *caller, id, _ string) {
					admin.do(http.MethodPatch, "/users/"+id, map[string]any{"role": "user"}, nil).want(http.StatusOK)
				},
				"command": func(_ *caller, _, email string) {
					command(t, program, settings, "", "user", "disable", "--email", email)
				},
			} {
				email := what + "@example.test"
				s.account(t, s.org, email, identity.Manager)
				c := s.as(t, email)
				id := c.get("/auth/me").want(http.StatusOK).str("_id")
				end(c, id, email)
				ended := time.Now()
				testkit.Eventually(t, 30*time.Second, func() error {
					began := time.Now()
					a := c.get("/events")
					if a.status == http.StatusUnauthorized {
						return nil
					}
					if late := began.Sub(ended); late > time.Second {
						t.Fatalf("%s: %v later a request is answered %d", what, late, a.status)
					}
					return fmt.Errorf("%s: still admitted", what)
				})
			}
		})
	}
}
