package identity

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"time"
)

// recentSlots is the number of tokens that are cached by their bytes. A token usually has at
// most a kilobyte, so they take half a megabyte.
const recentSlots = 512

// recentTokens caches the most used tokens by their bytes. A collision-resistant hash would be
// most of the cost of recognizing a cached token; here a hash only selects the slot, and the
// bytes are compared. It is lock-free.
type recentTokens struct {
	seed  maphash.Seed
	slots [recentSlots]atomic.Pointer[recentToken]
}

type recentToken struct {
	token string
	verified
	left atomic.Int32 // misses in its slot until it is replaced
}

// keeps is the number of misses that a used token survives, so that as many tokens can
// alternate in a slot without evicting each other.
const keeps = 3

// slot returns the slot of a token, selected by its end: the signature, which differs between
// tokens.
func (r *recentTokens) slot(token string) *atomic.Pointer[recentToken] {
	return &r.slots[maphash.String(r.seed, token[max(0, len(token)-32):])%recentSlots]
}

// get returns a cached token, or nil.
func (r *recentTokens) get(token string) *recentToken {
	seen := r.slot(token).Load()
	if seen == nil || seen.token != token {
		return nil
	}
	if seen.left.Load() != keeps {
		seen.left.Store(keeps)
	}
	return seen
}

// put caches a token, if its slot is free or that of a token no longer in use.
func (r *recentTokens) put(token string, v verified) {
	slot := r.slot(token)
	if old := slot.Load(); old != nil && old.token != token && old.left.Add(-1) >= 0 {
		return
	}
	seen := &recentToken{token: strings.Clone(token), verified: v}
	seen.left.Store(keeps)
	slot.Store(seen)
}

// remember caches a token that has been verified.
func (v *Verifier) remember(token string, seen verified) {
	if v.keys != nil {
		v.recent.put(token, seen)
	}
}

// Recall returns the caller of a token that Verify has cached, and reports whether it is still
// valid at now, as far as is known without a request. It does not allocate.
func (v *Verifier) Recall(token string, now time.Time) (Principal, bool) {
	if v.keys == nil {
		return Principal{}, false
	}
	seen := v.recent.get(token)
	if seen == nil || !seen.validAt(now) {
		return Principal{}, false
	}
	if key, ok := v.keys.KeyAt(seen.kid, now); !ok || !sameKey(key, seen.key) {
		return Principal{}, false
	}
	v.hits.Add(1)
	return seen.principal, true
}

// Recall returns the caller of a token if that is known at the given time without a request.
// The caller passes the time, because a request reads the clock once.
type Recall func(token string, now time.Time) (p Principal, ok bool)

// RecallOf returns the Recall of a verifier, or nil if it has no cache.
func RecallOf(tokens Tokens) Recall {
	if of, ok := tokens.(interface {
		Recall(token string, now time.Time) (Principal, bool)
	}); ok {
		return of.Recall
	}
	return nil
}

// Recall returns a Recall that accepts tokens whose cached session state admits them, or nil if
// tokens or sessions are not cached.
func (a ActiveTokens) Recall() Recall {
	recall := RecallOf(a.Tokens)
	sessions, ok := a.Sessions.(interface {
		RecentAt(sid string, now time.Time) (State, bool)
	})
	if recall == nil || !ok {
		return nil
	}
	return func(token string, now time.Time) (Principal, bool) {
		p, ok := recall(token, now)
		if !ok {
			return Principal{}, false
		}
		state, ok := sessions.RecentAt(p.Session, now)
		if !ok || !state.Admits(p) {
			return Principal{}, false
		}
		return p, true
	}
}
