package identity

import (
	"context"
	"crypto"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnknownKey says that no published key has this id. It is the token's
// fault; any other error of a KeySource is ours.
var ErrUnknownKey = errors.New("identity: no key has this id")

// KeySource returns the public keys that tokens are signed with.
type KeySource interface {
	// Key returns the key with the id kid, ErrUnknownKey when there is none, and
	// any other error when that cannot be told now.
	Key(ctx context.Context, kid string) (crypto.PublicKey, error)
}

// RecentKeys is a KeySource that tells at once which keys there are.
type RecentKeys interface {
	// KeyAt returns the key with the id kid, and reports whether it is known to be good at now
	// without asking anybody. The KeySource has to be asked where it is not.
	KeyAt(kid string, now time.Time) (key crypto.PublicKey, ok bool)
}

// RemoteKeysOptions says where keys are published. Only URL is required.
type RemoteKeysOptions struct {
	// URL is the address of the JWKS document.
	URL string
	// Client makes the calls. Default: one with a time-out of 2 s.
	Client *http.Client
	// RefreshEvery is how old the keys may grow before they are read again, in
	// the background. It bounds how long a key that was taken back early is
	// still accepted. Default: 30 s.
	RefreshEvery time.Duration
	// UnknownEvery is the shortest time between two readings caused by unknown
	// key ids, which anybody can make up. Default: 1 s.
	UnknownEvery time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// RemoteKeys reads keys from a JWKS document over HTTP and keeps them. When the
// publisher does not answer, the keys read last stay good.
type RemoteKeys struct {
	o RemoteKeysOptions

	// document is what was read last; nil until read once. It is written while mu is held.
	document atomic.Pointer[keyDocument]

	mu      sync.Mutex
	tried   time.Time     // when the last reading began
	failure error         // of the last reading
	running chan struct{} // closed when the reading that goes on ends; nil when none does
}

// keyDocument is a JWKS document as it was read. It does not change.
type keyDocument struct {
	keys map[string]crypto.PublicKey
	read time.Time
}

// key returns the key with the id kid, and reports whether the document has one.
func (d *keyDocument) key(kid string) (crypto.PublicKey, bool) {
	if d == nil {
		return nil, false
	}
	key, ok := d.keys[kid]
	return key, ok
}

// stale reports whether the document has to be read again. A clock that was set back must not
// keep new keys out until it has caught up.
func (d *keyDocument) stale(now time.Time, after time.Duration) bool {
	return d == nil || now.Sub(d.read) >= after || now.Before(d.read)
}

// NewRemoteKeys makes a RemoteKeys. It reads nothing before the first Key, so a
// service may start before the publisher.
func NewRemoteKeys(o RemoteKeysOptions) *RemoteKeys {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 2 * time.Second}
	}
	if o.RefreshEvery <= 0 {
		o.RefreshEvery = 30 * time.Second
	}
	if o.UnknownEvery <= 0 {
		o.UnknownEvery = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &RemoteKeys{o: o}
}

// Key returns the key with the id kid. A known key costs a map look-up; an
// unknown one waits for a fresh reading of the document, at most one each
// UnknownEvery for all callers together.
func (r *RemoteKeys) Key(ctx context.Context, kid string) (crypto.PublicKey, error) {
	r.mu.Lock()
	now, document := r.o.Now(), r.document.Load()
	key, known := document.key(kid)
	rested := now.Sub(r.tried) >= r.o.UnknownEvery || now.Before(r.tried)
	due := rested && (!known || document.stale(now, r.o.RefreshEvery))
	if due && r.running == nil {
		r.tried = now
		r.running = make(chan struct{})
		// Not the caller's time: others wait for this reading as well.
		go r.refresh(context.WithoutCancel(ctx), r.running)
	}
	running, failure := r.running, r.failure
	r.mu.Unlock()
	if known {
		return key, nil
	}
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		r.mu.Lock()
		key, known = r.document.Load().key(kid)
		failure = r.failure
		r.mu.Unlock()
	}
	switch {
	case known:
		return key, nil
	case failure != nil:
		return nil, failure
	}
	return nil, ErrUnknownKey
}

// KeyAt implements RecentKeys: it knows a key that it has read less than RefreshEvery ago.
func (r *RemoteKeys) KeyAt(kid string, now time.Time) (crypto.PublicKey, bool) {
	document := r.document.Load()
	if document.stale(now, r.o.RefreshEvery) {
		return nil, false
	}
	return document.key(kid)
}

// Ready returns nil once keys have been read, for the readiness of a process. They
// stay good when the publisher is away later.
func (r *RemoteKeys) Ready(ctx context.Context) error {
	if r.document.Load() != nil {
		return nil
	}
	if _, err := r.Key(ctx, ""); !errors.Is(err, ErrUnknownKey) {
		return err
	}
	if r.document.Load() == nil {
		return errors.New("the signing keys have not been read yet")
	}
	return nil
}

func (r *RemoteKeys) refresh(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	keys, err := r.fetch(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure = err; err == nil {
		r.document.Store(&keyDocument{keys: keys, read: r.o.Now()})
	}
	r.running = nil
	close(done)
}

// maxJWKS bounds what is read of the document.
const maxJWKS = 64 << 10

func (r *RemoteKeys) fetch(ctx context.Context) (map[string]crypto.PublicKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.o.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	// Whoever is called records no trace: what is read again every minute belongs to
	// no request.
	var id [24]byte
	_, _ = rand.Read(id[:]) // never fails
	req.Header.Set("Traceparent", fmt.Sprintf("00-%x-%x-00", id[:16], id[16:]))
	res, err := r.o.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read signing keys: status %d", res.StatusCode)
	}
	var set JWKS
	if err := json.NewDecoder(io.LimitReader(res.Body, maxJWKS)).Decode(&set); err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	keys := make(map[string]crypto.PublicKey, len(set.Keys))
	for _, j := range set.Keys {
		key, err := j.PublicKey()
		if err != nil || j.Use != "sig" || j.Algorithm != AlgorithmOf(key) {
			// A kind of key that a newer publisher knows and we do not.
			continue
		}
		keys[j.KeyID] = key
	}
	if len(keys) == 0 {
		return nil, errors.New("read signing keys: the document has no key of a known type")
	}
	return keys, nil
}
