// Package idempotency makes a request with an Idempotency-Key take effect once: repetitions get
// the first response again, even after a lost connection, a crash, or in another process.
//
// The key is reserved in the database before any work. The reservation fixes the ids of what
// the request will create, and a name that its moves leave in histories. If a process dies, its
// reservation has a lease that is no longer renewed; the next repetition takes it over, finds by
// those ids and that name what was done already, does the rest and returns the response.
//
// Correctness depends on the ids and names alone. The lease, which compares clocks of
// processes, only prevents repetitions from working concurrently.
package idempotency

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/ids"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// remembered is how long a key is stored.
	remembered = 24 * time.Hour
	// lease is how long after the death of a process its requests are taken over: a request that
	// runs renews its lease every renewEvery.
	lease      = 5 * time.Second
	renewEvery = lease / 4
	// longestLease is more than any release reserves.
	longestLease = 30 * time.Second
	// attempts bounds how often a reservation is retried because another process changed the
	// entry in the meantime.
	attempts = 10
)

// call is a request with a key.
type call struct {
	org                     record.OrgID
	user, method, path, key string
	// digest is the hash of everything else that defines the request.
	digest string
}

// id returns the id of the call's entry. It is a hash, because the parts have any length and
// any characters.
func (c call) id() string { return hashOf(string(c.org), c.user, c.method, c.path, c.key) }

// hashOf hashes the parts so that ("ab", "c") and ("a", "bc") differ.
func hashOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_ = writePart(h, int64(len(p)), strings.NewReader(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashOfBody is hashOf for a text and the body of a request.
func hashOfBody(text string, body *web.File) (string, error) {
	h := sha256.New()
	_ = writePart(h, int64(len(text)), strings.NewReader(text))
	err := writePart(h, int64(body.Size()), body.Reader())
	return hex.EncodeToString(h.Sum(nil)), err
}

func writePart(h hash.Hash, size int64, part io.Reader) error {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(size)) //nolint:gosec // no size is negative
	h.Write(length[:])
	_, err := io.Copy(h, part)
	return err
}

// Reservation is the reservation of a key by a request. The zero value is that of a request
// without a key.
type Reservation struct {
	entry record.KeyEntry
	// Resumed reports that another attempt has worked on this request, and may have done some
	// or all of it.
	Resumed bool
}

// Keyed reports whether the request has a key.
func (r Reservation) Keyed() bool { return r.entry.ID != "" }

// NewID returns the id of the n-th thing that the request creates, the same in every attempt.
// It depends on a random seed, so it cannot be guessed from the key. Without a key each call
// returns a new id.
func (r Reservation) NewID(n int) string {
	if !r.Keyed() {
		return record.NewID()
	}
	return ids.Derive("id\x00" + r.entry.Seed + "\x00" + strconv.Itoa(n))
}

// Once returns the name of the request for record.Request, empty without a key. A key that is
// reused after it expired has another name.
func (r Reservation) Once() string {
	if !r.Keyed() {
		return ""
	}
	return hashOf("once", r.entry.Seed)[:32]
}

// reserve reserves the key of a call. It returns a reservation, or the stored response, or an
// error for the client: IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS.
func (k *Keeper) reserve(ctx context.Context, c call) (Reservation, *record.KeyAnswer, error) {
	now := k.now()
	mine := record.KeyEntry{
		ID: c.id(), Digest: c.digest, Seed: rand.Text(), Lease: rand.Text(),
		LeaseUntil: now.Add(lease), ExpiresAt: now.Add(remembered),
	}
	for range attempts {
		stored, inserted, err := k.Store.InsertKey(ctx, c.org, mine)
		if err != nil {
			return Reservation{}, nil, fmt.Errorf("reserve idempotency key: %w", err)
		}
		if inserted {
			return Reservation{entry: mine}, nil, nil
		}
		next := mine // an expired key counts as a new one
		if now.Before(stored.ExpiresAt) {
			switch {
			case stored.Digest != mine.Digest:
				return Reservation{}, nil, apperr.New(apperr.IdempotencyKeyReused,
					"This %s was used with another request. Use a new key for each request, and reuse a key only to repeat the same request unchanged.", Header).
					With(apperr.Detail{Field: Header, Code: "KEY_REUSED", Message: "The method and path are the same, but the body or query differs."})
			case stored.Answer != nil:
				return Reservation{}, stored.Answer, nil
			case now.Before(stored.LeaseUntil) && stored.LeaseUntil.Sub(now) <= longestLease:
				// A longer lease is from before a clock was set back.
				return Reservation{}, nil, &apperr.Error{Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
					Message: "A request with this " + Header + " is still running. Repeat it in a moment to get its response."}
			}
			next = stored
			next.Lease, next.LeaseUntil = mine.Lease, mine.LeaseUntil
		}
		taken, err := k.Store.ReplaceKey(ctx, c.org, next, stored.Lease)
		if err != nil {
			return Reservation{}, nil, fmt.Errorf("reserve idempotency key: %w", err)
		}
		if taken {
			return Reservation{entry: next, Resumed: next.Seed == stored.Seed}, nil, nil
		}
	}
	return Reservation{}, nil, &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Too many requests with this " + Header + " at the same time. Please try again."}
}

// renew renews the lease of a reservation until stop is called, ctx ends, or another attempt has taken
// the request over.
func (k *Keeper) renew(ctx context.Context, org record.OrgID, r Reservation) (stop func()) {
	stopped := make(chan struct{})
	timer := time.AfterFunc(renewEvery, func() { // few requests run that long
		ticker := time.NewTicker(renewEvery)
		defer ticker.Stop()
		for held := true; held && ctx.Err() == nil; {
			e := r.entry
			e.LeaseUntil = k.now().Add(lease)
			taken, err := k.Store.ReplaceKey(ctx, org, e, e.Lease)
			held = taken || err != nil // after an error the next renewal may succeed
			select {
			case <-ticker.C:
			case <-stopped:
				return
			}
		}
	})
	return func() {
		timer.Stop()
		close(stopped)
	}
}

// finish stores the first response. If another attempt has taken the request over, its response
// is kept.
func (k *Keeper) finish(ctx context.Context, org record.OrgID, r Reservation, a record.KeyAnswer) error {
	e := r.entry
	// An entry with a response is not written again until it expires, so any lease that nobody
	// holds will do.
	e.Lease, e.LeaseUntil, e.Answer = "done "+r.entry.Lease, time.UnixMilli(0).UTC(), &a
	_, err := k.Store.ReplaceKey(ctx, org, e, r.entry.Lease)
	return err
}

// release lets the next repetition start at once. If it is certain that nothing was done, the
// key becomes free; otherwise its ids remain fixed.
func (k *Keeper) release(ctx context.Context, org record.OrgID, r Reservation, untouched bool) error {
	if untouched && !r.Resumed {
		return k.Store.DeleteKey(ctx, org, r.entry.ID, r.entry.Lease)
	}
	e := r.entry
	e.Lease, e.LeaseUntil = "free "+rand.Text(), time.UnixMilli(0).UTC()
	_, err := k.Store.ReplaceKey(ctx, org, e, r.entry.Lease)
	return err
}

// checkKey returns an error unless a key has 1 to 255 printable ASCII characters.
func checkKey(key string) error {
	unprintable := func(r rune) bool { return r < ' ' || r > '~' }
	if len(key) < 1 || len(key) > 255 || strings.ContainsFunc(key, unprintable) {
		return apperr.Invalid(apperr.Detail{Field: Header, Code: "BAD_FORMAT",
			Message: Header + " must be 1 to 255 printable ASCII characters, such as a random UUID."})
	}
	return nil
}
