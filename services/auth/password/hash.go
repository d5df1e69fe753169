// Package password hashes passwords with argon2id, with a limit on concurrent
// hashes, and decides which new passwords are acceptable.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Params are the cost of a hash.
type Params struct {
	MemoryKiB uint32
	Time      uint32
	Threads   uint8
}

// Recommended is OWASP's choice for argon2id: 19 MiB, two passes, one thread.
func Recommended() Params { return Params{MemoryKiB: 19 << 10, Time: 2, Threads: 1} }

const (
	saltBytes = 16
	keyBytes  = 32
)

// Limits for the parameters of a stored hash, so that a damaged one cannot exhaust
// memory.
const (
	maxMemoryKiB = 1 << 20
	maxTime      = 64
)

// ErrBusy means that the limits of concurrent hashes and of waiting
// callers are reached.
var ErrBusy = errors.New("password: too many hashes at once")

var errHash = errors.New("password: not an argon2id hash")

// Options are the limits of a Hasher. The zero value is for tests
// only: see the fields.
type Options struct {
	Params Params
	// Slots is how many hashes are made at once: each takes a processor and
	// Params.MemoryKiB. At least 1.
	Slots int
	// Queue is how many callers of one key may wait for a slot, at least 1; the next
	// gets ErrBusy. Of all keys four times as many may wait.
	Queue int
	// Wait is how long a caller waits before it gets ErrBusy.
	Wait time.Duration
}

// Hasher computes and verifies hashes. Waiting callers are scheduled fairly by key, and
// those of one key in FIFO order (For, Behind). It is
// safe for concurrent use.
type Hasher struct {
	o       Options
	slots   *fairshare.Scheduler
	taken   atomic.Int64
	waiting atomic.Int64
	made    atomic.Int64
	filled  atomic.Int64
	running atomic.Int64 // counted by hashes in progress, not by slots
	peak    atomic.Int64
	dummy   string
}

// New makes a Hasher. The dummy of VerifyNothing has a salt and a key by chance, which
// no password has: to verify it costs what any other hash does, and to make it nothing,
// where hashing held the memory of a slot from the start on.
func New(o Options) (*Hasher, error) {
	if o.Params.MemoryKiB == 0 || o.Params.Time == 0 || o.Params.Threads == 0 || o.Slots < 1 || o.Queue < 1 || o.Wait < 0 {
		return nil, fmt.Errorf("password: impossible options %+v", o)
	}
	h := &Hasher{o: o, slots: fairshare.New(fairshare.Options{Slots: o.Slots, Share: o.Slots, Waiting: o.Queue})}
	salt, key := make([]byte, saltBytes), make([]byte, keyBytes)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	_, _ = rand.Read(key)
	h.dummy = o.Params.encode(salt, key)
	return h, nil
}

// Made returns how many hashes were made or verified since New, for tests of what
// a request costs.
func (h *Hasher) Made() int64 { return h.made.Load() }

// Filled returns how many KiB all of them have filled, once for each pass: what they
// cost, also where two are made at different costs.
func (h *Hasher) Filled() int64 { return h.filled.Load() }

// Waiting returns how many callers wait for a slot now.
func (h *Hasher) Waiting() int { return int(h.waiting.Load()) }

// Slots returns how many passwords may be hashed at once, and Taken how many slots
// are taken now.
func (h *Hasher) Slots() int { return h.o.Slots }

// Taken is described at Slots.
func (h *Hasher) Taken() int { return int(h.taken.Load()) }

// Peak returns how many hashes were made at once at most, for tests of the bounds.
func (h *Hasher) Peak() int { return int(h.peak.Load()) }

// Memory returns how many bytes hashing takes at most: every slot's.
func (h *Hasher) Memory() int64 { return int64(h.o.Slots) * int64(h.o.Params.MemoryKiB) << 10 }

// Hash returns the hash of a new password as a PHC string.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return h.hash(password), nil
}

// Verify reports whether password is the one that was hashed, and whether the
// hash was made at another cost than the present one and should be made again.
// A hash that cannot be read matches nothing, at the cost of a good one.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (ok, outdated bool, err error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return false, false, err
	}
	defer release()
	p, salt, want, err := parse(hash)
	if err != nil {
		p, salt, want, err = parse(h.dummy)
		if err != nil {
			return false, false, err
		}
		h.key(p, salt, password, len(want))
		return false, false, nil
	}
	got := h.key(p, salt, password, len(want))
	return subtle.ConstantTimeCompare(got, want) == 1, p != h.o.Params || len(salt) != saltBytes || len(want) != keyBytes, nil
}

// VerifyNothing does the work of a failing Verify, for an account that does not
// exist, so that timing does not disclose it.
func (h *Hasher) VerifyNothing(ctx context.Context, password string) error {
	_, _, err := h.Verify(ctx, h.dummy, password)
	return err
}

// manyKeys is how many full queues of one key may wait.
const manyKeys = 4

// acquire waits for a slot.
func (h *Hasher) acquire(ctx context.Context) (release func(), err error) {
	if h.waiting.Add(1) > int64(manyKeys*h.o.Queue+h.o.Slots) {
		h.waiting.Add(-1)
		return nil, ErrBusy
	}
	defer h.waiting.Add(-1)
	waiting, cancel := context.WithTimeoutCause(ctx, h.o.Wait, ErrBusy)
	defer cancel()
	by, _ := ctx.Value(shareKey{}).(share)
	acquire := h.slots.Acquire
	if by.behind {
		acquire = h.slots.AcquireLowPriority
	}
	end, err := acquire(waiting, by.key, 1)
	switch {
	case errors.Is(err, fairshare.ErrFull), err != nil && ctx.Err() == nil:
		return nil, ErrBusy
	case err != nil:
		return nil, ctx.Err()
	}
	h.taken.Add(1)
	return func() { h.taken.Add(-1); end() }, nil
}

func (h *Hasher) hash(password string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	p := h.o.Params
	return p.encode(salt, h.key(p, salt, password, keyBytes))
}

// encode returns the PHC string of a salt and the key made with it.
func (p Params) encode(salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.MemoryKiB, p.Time, p.Threads, b64(salt), b64(key))
}

// key derives a key from the whole password in NFC, so that the same text from another
// system is the same password.
func (h *Hasher) key(p Params, salt []byte, password string, length int) []byte {
	h.made.Add(1)
	h.filled.Add(int64(p.MemoryKiB) * int64(p.Time))
	defer h.running.Add(-1)
	for running := h.running.Add(1); ; {
		seen := h.peak.Load()
		if running <= seen || h.peak.CompareAndSwap(seen, running) {
			break
		}
	}
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, p.Time, p.MemoryKiB, p.Threads, uint32(length)) //nolint:gosec // length is 16 to 64
}

// parse reads a PHC string.
func parse(hash string) (p Params, salt, key []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return p, nil, nil, errHash
	}
	var n int
	if n, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.MemoryKiB, &p.Time, &p.Threads); err != nil || n != 3 ||
		parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", p.MemoryKiB, p.Time, p.Threads) {
		return p, nil, nil, errHash
	}
	if p.MemoryKiB == 0 || p.MemoryKiB > maxMemoryKiB || p.Time == 0 || p.Time > maxTime || p.Threads == 0 {
		return p, nil, nil, errHash
	}
	if salt, err = base64.RawStdEncoding.Strict().DecodeString(parts[4]); err != nil || len(salt) < 8 || len(salt) > 64 {
		return p, nil, nil, errHash
	}
	if key, err = base64.RawStdEncoding.Strict().DecodeString(parts[5]); err != nil || len(key) < 16 || len(key) > 64 {
		return p, nil, nil, errHash
	}
	return p, salt, key, nil
}
