package idempotency

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// The header fields of idempotency keys.
const (
	Header         = "Idempotency-Key"
	HeaderReplayed = "Idempotent-Replayed"
)

const (
	// After tidyEvery new keys, up to tidyBatch expired ones are removed: more than are added.
	tidyEvery = 64
	tidyBatch = 256
	// settleTimeout bounds storing a response, which must not be canceled with a request that
	// has used up its time.
	settleTimeout = 3 * time.Second
)

// Keeper stores the idempotency keys of a service's requests.
type Keeper struct {
	Store  record.Keys
	Now    func() time.Time
	Logger *slog.Logger
	// MayRepeat, if set, returns an error if the caller must not be given a stored response
	// again.
	MayRepeat func(c *fiber.Ctx, a *record.KeyAnswer) error

	reserved atomic.Int64
}

type local struct{}

// Of returns the reservation of the request, or the zero value if it has no key or its route
// does not support keys.
func Of(c *fiber.Ctx) Reservation {
	r, _ := c.Locals(local{}).(Reservation)
	return r
}

func (k *Keeper) now() time.Time { return k.Now().UTC().Truncate(time.Millisecond) }

// Handler adds support for idempotency keys to a handler. It must run after the checks of
// token, route and role, because their rejections are not stored. The handler must take the ids
// of what it creates from Reservation.NewID, name its moves with Once, and, if the reservation
// was resumed, first look for what was done already. Its response must be JSON.
//
// A dry run (X-Dry-Run) does not use keys: nothing of it is stored.
func (k *Keeper) Handler(next fiber.Handler) fiber.Handler {
	return web.CollectHeaderFaults(k.handle(next), CheckHeader)
}

// CheckHeader returns what is wrong with the key of a request.
func CheckHeader(c *fiber.Ctx) error {
	keys := c.Request().Header.PeekAll(Header)
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return checkKey(string(keys[0]))
	}
	return checkKey("") // a repeated field is invalid
}

func (k *Keeper) handle(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		keys := c.Request().Header.PeekAll(Header)
		if len(keys) == 0 {
			return next(c)
		}
		key := string(keys[0])
		rehearsal, err := web.DryRun(c)
		if err != nil {
			return err
		}
		if rehearsal {
			return next(c)
		}
		p := web.PrincipalOf(c)
		org := record.OrgID(p.Org)
		digest, err := hashOfBody(string(c.Context().URI().QueryString()), web.FileOf(c))
		if err != nil {
			return err
		}
		asked := call{org: org, user: p.UserID, method: c.Method(), path: teams.Path(c), key: key, digest: digest}
		reservation, answer, err := k.reserve(c.UserContext(), asked)
		if err != nil {
			return err
		}
		if answer != nil && k.MayRepeat != nil {
			if err := k.MayRepeat(c, answer); err != nil {
				return err
			}
		}
		if answer != nil {
			return replay(c, answer)
		}
		k.tidy(c.UserContext(), org)
		c.Locals(local{}, reservation)
		returned := false
		stop := k.renew(c.UserContext(), org, reservation)
		defer func() {
			stop()
			if !returned { // the handler panicked
				k.settle(c, org, reservation, http.StatusInternalServerError, nil)
			}
		}()
		err = next(c)
		returned = true
		if err != nil {
			status, body, failed := web.EncodeError(c, err)
			if failed != nil {
				status = http.StatusInternalServerError
			}
			k.settle(c, org, reservation, status, &record.KeyAnswer{Status: status, Body: body})
			return err
		}
		// The repetition of an interrupted attempt has the same name, and so the same entry.
		note, err := audit.Hold(c, reservation.Once())
		if err != nil {
			k.settle(c, org, reservation, http.StatusInternalServerError, nil)
			return err
		}
		status := c.Response().StatusCode()
		k.settle(c, org, reservation, status, &record.KeyAnswer{
			Status: status, ETag: c.GetRespHeader(fiber.HeaderETag), Location: c.GetRespHeader(fiber.HeaderLocation),
			Body: slices.Clone(c.Response().Body()), Note: note,
		})
		return nil
	}
}

// lasting reports whether a response would be the same for every repetition.
func lasting(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status >= 200 && status < 300 || status >= 400 && status < 500
}

// maxRefusal is the size of the largest response to a request that did nothing which is stored. A
// repetition does nothing either and can compute it again, while stored refusals of whole batches
// would let one user fill the disk: nothing that limits what is recorded counts them.
const maxRefusal = 8 << 10

// entryBytes is about what the entry of a key stores beside the response.
const entryBytes = 512

type nothingDone struct{}

// NothingDone states that the request of c does nothing, although it succeeds as a whole, as that of
// many records of which each is refused or is as it was sent.
func NothingDone(c *fiber.Ctx) { c.Locals(nothingDone{}, true) }

// kept reports whether the response is stored.
func kept(c *fiber.Ctx, status int, answer *record.KeyAnswer) bool {
	if !lasting(status) {
		return false
	}
	refused := status >= http.StatusBadRequest || c.Locals(nothingDone{}) != nil
	return !refused || len(answer.Body) <= maxRefusal
}

// settle stores the response, or releases the key if the response is not kept. A failure is
// logged: the client gets the response, and a repetition computes it again.
func (k *Keeper) settle(c *fiber.Ctx, org record.OrgID, r Reservation, status int, answer *record.KeyAnswer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), settleTimeout)
	defer cancel()
	var err error
	if kept(c, status, answer) {
		if err = k.finish(ctx, org, r, *answer); err == nil {
			web.Stored(c).Add(entryBytes + int64(len(answer.Body)))
		}
	} else {
		// After an internal error it is unknown what was done.
		err = k.release(ctx, org, r, status < http.StatusInternalServerError)
	}
	if err != nil {
		k.Logger.LogAttrs(ctx, slog.LevelWarn, "idempotency key not settled",
			slog.String("request_id", web.RequestID(c)), slog.String("error", err.Error()))
	}
}

// tidy removes expired keys of the organization from time to time.
func (k *Keeper) tidy(ctx context.Context, org record.OrgID) {
	if k.reserved.Add(1)%tidyEvery != 0 {
		return
	}
	if err := k.Store.DropExpiredKeys(ctx, org, k.now(), tidyBatch); err != nil {
		k.Logger.LogAttrs(ctx, slog.LevelWarn, "expired idempotency keys not dropped", slog.String("error", err.Error()))
	}
}

// replay returns the stored response, byte for byte, and its note: the request may have been
// repeated because the audit log could not be written. The request id in the body of an error
// is that of the request that did the work.
func replay(c *fiber.Ctx, a *record.KeyAnswer) error {
	c.Set(HeaderReplayed, "true")
	if a.ETag != "" {
		c.Set(fiber.HeaderETag, a.ETag)
	}
	if a.Location != "" {
		c.Set(fiber.HeaderLocation, a.Location)
	}
	audit.Reattach(c, a.Note)
	return web.JSON(c, a.Status, a.Body)
}
