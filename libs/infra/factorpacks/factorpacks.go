// Package factorpacks finds the factor sets that operators have added to a store.
package factorpacks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/record"
)

// Requests for nonexistent sets make a process read the list of packs at most readsAtOnce times, and then once per
// listedFor, for which the list is cached. So a new pack is usually found at once, and always soon.
const (
	listedFor   = time.Second
	readsAtOnce = 5
)

// Source returns the source of the sets of a store's packs. If the store is unavailable, the error is UNAVAILABLE.
func Source(store record.FactorPacks) factors.Source {
	return newSource(store, listedFor).set
}

type source struct {
	store   record.FactorPacks
	believe time.Duration
	flights singleflight.Group

	mu     sync.Mutex
	listed map[string]bool
	// reads of the list remaining before the cache is used; one is added per listedFor
	reads int
	at    time.Time
}

func newSource(store record.FactorPacks, believe time.Duration) *source {
	return &source{store: store, believe: believe, reads: readsAtOnce, at: time.Now()}
}

func (s *source) set(ctx context.Context, id string) (*factors.Set, error) {
	held, err := s.has(ctx, id)
	if err != nil {
		return nil, unavailable(err)
	}
	if !held {
		return nil, fmt.Errorf("%w as %q", factors.ErrNotHeld, id)
	}
	p, err := s.store.FactorPack(ctx, id)
	if errors.Is(err, record.ErrNotFound) {
		return nil, fmt.Errorf("%w as %q", factors.ErrNotHeld, id)
	}
	if err != nil {
		return nil, unavailable(err)
	}
	document, _, err := pack.Read(p.Document)
	if err != nil {
		return nil, fmt.Errorf("read factor pack %s: %w", id, err)
	}
	set, err := document.Set()
	if err == nil && (set.ID != id || set.Checksum != p.Checksum) {
		err = fmt.Errorf("factor pack %s is damaged: its content is that of %s, checksum %s", id, set.ID, set.Checksum)
	}
	return set, err
}

// has reports whether the store has a pack, by its list of a moment ago.
func (s *source) has(ctx context.Context, id string) (bool, error) {
	s.mu.Lock()
	held := s.listed[id] // packs are never removed
	s.mu.Unlock()
	if held {
		return true, nil
	}
	// The read continues if its caller gives up, for concurrent callers.
	read := s.flights.DoChan("", func() (any, error) { return s.list(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case r := <-read:
		if r.Err != nil {
			return false, r.Err
		}
		return r.Val.(map[string]bool)[id], nil //nolint:forcetypeassert // list returns it
	}
}

// readFor bounds a read of the list.
const readFor = 10 * time.Second

// list returns the ids of all packs: from the store, or from the cache if no read remains. Calls are serialized, so
// that each knows the reads before.
func (s *source) list(ctx context.Context) (map[string]bool, error) {
	s.mu.Lock()
	if back := int(min(time.Since(s.at)/max(s.believe, 1), readsAtOnce)); back > 0 {
		s.reads, s.at = min(s.reads+back, readsAtOnce), time.Now()
	}
	known := s.listed
	if s.reads == 0 && known != nil {
		s.mu.Unlock()
		return known, nil
	}
	s.reads = max(s.reads-1, 0)
	s.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	ids, err := s.store.FactorPackIDs(ctx)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = listed
	return listed, nil
}

// unavailable is the error of an unavailable store.
func unavailable(err error) error {
	if apperr.CodeOf(err) == apperr.Unavailable {
		return err
	}
	return apperr.New(apperr.Unavailable, "The factor sets that operators have added cannot be read right now.").Because(err)
}
