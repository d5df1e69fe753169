package identity

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"time"
)

// recentSlots is how many tokens are remembered by their bytes. A token has a kilobyte at most
// as a rule, so they take half a megabyte.
const recentSlots = 512

// recentTokens remembers the tokens that are used most by their bytes. Hashing a token so that
// no other one is taken for it is most of what verifying a remembered one takes; here a hash
// only says where to look, and the bytes are compared. It takes no lock.
type recentTokens struct {
	seed  maphash.Seed
	slots [recentSlots]atomic.Pointer[recentToken]
}

type recentToken struct {
	token string
	verified
	left atomic.Int32 // for how many other tokens it keeps its slot; fewer each time one comes
}

// keeps is for how many other tokens one that is used keeps its slot: as many take turns in one
// without one of them being forgotten each time.
const keeps = 3

// slot returns where a token is to be found, by its end: that is its signature, of which no two
// tokens have the same.
func (r *recentTokens) slot(token string) *atomic.Pointer[recentToken] {
	return &r.slots[maphash.String(r.seed, token[max(0, len(token)-32):])%recentSlots]
}

// get returns a token that is remembered; nil for any other.
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

// put remembers a token, in the place of one that is not used any more if its slot is taken.
func (r *recentTokens) put(token string, v verified) {
	slot := r.slot(token)
	if old := slot.Load(); old != nil && old.token != token && old.left.Add(-1) >= 0 {
		return
	}
	seen := &recentToken{token: strings.Clone(token), verified: v}
	seen.left.Store(keeps)
	slot.Store(seen)
}

// remember has a token recalled that was verified before.
func (v *Verifier) remember(token string, seen verified) {
	if v.keys != nil {
		v.recent.put(token, seen)
	}
}

// Recall returns the caller of a token that Verify has remembered, and reports whether it still
// is good at now as far as that is known without asking anybody. It allocates nothing.
func (v *Verifier) Recall(token string, now time.Time) (Principal, bool) {
	if v.keys == nil {
		return Principal{}, false
	}
	seen := v.recent.get(token)
	if seen == nil || !now.Before(seen.principal.Expires) {
		return Principal{}, false
	}
	if key, ok := v.keys.KeyAt(seen.kid, now); !ok || !sameKey(key, seen.key) {
		return Principal{}, false
	}
	v.hits.Add(1)
	return seen.principal, true
}

// Recall returns the caller of a token as far as that is known at a time without asking anybody.
// The time is the caller's, since a request reads the clock once.
type Recall func(token string, now time.Time) (p Principal, ok bool)

// RecallOf returns what recalls the tokens of a verifier; nil where it remembers none.
func RecallOf(tokens Tokens) Recall {
	if of, ok := tokens.(interface {
		Recall(token string, now time.Time) (Principal, bool)
	}); ok {
		return of.Recall
	}
	return nil
}

// Recall returns what recalls tokens whose sessions were asked about a moment ago and admit them;
// nil where either is not remembered.
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
