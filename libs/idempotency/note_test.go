package idempotency_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/web"
)

// noteOf reads the note of a response as the gateway does.
func noteOf(t *testing.T, r reply) (n audit.Note) {
	t.Helper()
	text, err := base64.RawURLEncoding.DecodeString(r.header.Get("X-Ecf-Audit"))
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		t.Fatalf("note %q: %v", r.header.Get("X-Ecf-Audit"), err)
	}
	return n
}

// TestAnAnswerThatIsGivenAgainHasItsNote verifies that replayed responses have the note, under
// the same name, in case the audit log could not be written before; it is logged once.
func TestAnAnswerThatIsGivenAgainHasItsNote(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		for key, note := range map[string]audit.Note{
			"without a name": {Action: audit.RecordDeleted, Subject: "/events/e1/waste"},
			"with a name":    {Action: "event.delete", ID: "e1/2", Actor: "ann"},
		} {
			a.does(func(c *fiber.Ctx) error {
				if err := audit.Attach(c, note); err != nil {
					return err
				}
				return web.OK(c, fiber.Map{})
			})
			first := noteOf(t, a.want(a.ask(key, `{}`), http.StatusOK, false, ""))
			again := noteOf(t, b.want(b.ask(key, `{}`), http.StatusOK, true, ""))
			if again != first || first.ID == "" || note.ID != "" && first != note || first.Action != note.Action || first.Subject != note.Subject {
				t.Errorf("%s: first %+v, then %+v", key, first, again)
			}
		}
		a.does(func(c *fiber.Ctx) error { return web.OK(c, fiber.Map{}) })
		a.want(a.ask("none", `{}`), http.StatusOK, false, "")
		if again := b.want(b.ask("none", `{}`), http.StatusOK, true, ""); again.header.Get("X-Ecf-Audit") != "" {
			t.Errorf("a note of nothing: %v", again.header)
		}
	})
}

// TestANoteIsOfItsRequest verifies that attempts of one request name their note alike, and
// different requests do not.
func TestANoteIsOfItsRequest(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, c *clock, a, _ *place) {
		dies := true
		a.does(func(c *fiber.Ctx) error {
			if err := audit.Attach(c, audit.Note{Action: audit.RecordDeleted}); err != nil {
				return err
			}
			if dies {
				return web.Answer(c, http.StatusServiceUnavailable, nil)
			}
			return web.OK(c, fiber.Map{})
		})
		first := noteOf(t, a.ask("k", `{}`))
		dies = false
		c.advance(20 * time.Second)
		if second := noteOf(t, a.want(a.ask("k", `{}`), http.StatusOK, false, "")); second != first {
			t.Errorf("first %+v, then %+v", first, second)
		}
		if other := noteOf(t, a.ask("k2", `{}`)); other == first {
			t.Errorf("%+v of two requests", other)
		}
	})
}

// TestATimeoutIsNotKept verifies that the response of a timed-out request is not stored,
// because a repetition may succeed.
func TestATimeoutIsNotKept(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		var runs atomic.Int64
		a.does(func(c *fiber.Ctx) error { return web.Answer(c, http.StatusRequestTimeout, nil) })
		b.does(counted(&runs))
		a.want(a.ask("k", `{}`), http.StatusRequestTimeout, false, "")
		b.want(b.ask("k", `{}`), http.StatusCreated, false, `"run":1`)
	})
}

// TestAnAnswerIsKeptAfterTheTime verifies that the response of a request which used up its time
// is stored, so that a repetition does nothing again.
func TestAnAnswerIsKeptAfterTheTime(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		var runs atomic.Int64
		create := counted(&runs)
		a.does(func(c *fiber.Ctx) error {
			ctx, cancel := context.WithCancel(c.UserContext())
			cancel()
			c.SetUserContext(ctx)
			return create(c)
		})
		b.does(create)
		a.want(a.ask("k", `{}`), http.StatusCreated, false, `"run":1`)
		b.want(b.ask("k", `{}`), http.StatusCreated, true, `"run":1`)
	})
}

// TestAResumedRequestKeepsItsIDs verifies that a resumed request that did nothing does not
// release the key, because an earlier attempt may have done something.
func TestAResumedRequestKeepsItsIDs(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		var runs atomic.Int64
		work := counted(&runs)
		var ids []string
		note := func(err error) func(c *fiber.Ctx) error {
			return func(c *fiber.Ctx) error {
				ids = append(ids, idOf(c))
				if err != nil {
					return err
				}
				return work(c)
			}
		}
		a.does(note(apperr.New(apperr.Internal, "The store has failed.")))
		a.ask("k", `{}`)
		a.does(note(apperr.New(apperr.InvalidTransition, "Not now.")))
		a.want(a.ask("k", `{}`), http.StatusConflict, false, "")
		b.does(note(nil))
		b.want(b.ask("k", `{}`), http.StatusCreated, false, `"run":1`)
		if len(ids) != 3 || ids[0] != ids[1] || ids[1] != ids[2] {
			t.Errorf("the ids of the attempts are %v", ids)
		}
	})
}

func idOf(c *fiber.Ctx) string { return idempotency.Of(c).NewID(0) }
