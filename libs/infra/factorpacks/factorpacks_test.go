package factorpacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/record"
)

// counted is a store of packs that counts its reads.
type counted struct {
	sync.Mutex
	packs map[string]record.FactorPack
	err   error
	reads int
}

func (s *counted) InsertFactorPack(_ context.Context, p record.FactorPack) error {
	s.Lock()
	defer s.Unlock()
	s.packs[p.ID] = p
	return nil
}

func (s *counted) FactorPack(_ context.Context, id string) (record.FactorPack, error) {
	s.Lock()
	defer s.Unlock()
	s.reads++
	p, ok := s.packs[id]
	if !ok && s.err == nil {
		return p, record.ErrNotFound
	}
	return p, s.err
}

func (s *counted) FactorPackIDs(context.Context) (ids []string, err error) {
	s.Lock()
	defer s.Unlock()
	s.reads++
	for id := range s.packs {
		ids = append(ids, id)
	}
	return ids, s.err
}

// packOf returns the set of 2026 as a pack of another name.
func packOf(t *testing.T, name string) record.FactorPack {
	t.Helper()
	base, err := factors.ByID("desnz-2026")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(pack.Export(base, name, 1))
	if err != nil {
		t.Fatal(err)
	}
	document, _, err := pack.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	set, err := document.Set()
	if err != nil {
		t.Fatal(err)
	}
	return record.FactorPack{ID: set.ID, Checksum: set.Checksum, Document: text}
}

// TestUnknownSetsCostFewReads requests a thousand nonexistent sets, many concurrently.
func TestUnknownSetsCostFewReads(t *testing.T) {
	t.Parallel()
	store := &counted{packs: map[string]record.FactorPack{}}
	s := newSource(store, time.Hour)
	var wait sync.WaitGroup
	for i := range 1000 {
		wait.Go(func() {
			if _, err := s.set(t.Context(), fmt.Sprintf("made-up-v%d", i+1)); !errors.Is(err, factors.ErrNotHeld) {
				t.Errorf("a set that nobody has: %v", err)
			}
		})
	}
	wait.Wait()
	// Callers that decided to read before the first list arrived.
	for range 2 * readsAtOnce {
		if _, err := s.list(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if store.reads == 0 || store.reads > readsAtOnce {
		t.Errorf("the store was read %d times, want %d at most", store.reads, readsAtOnce)
	}
}

// TestAnAddedPackIsFound: a pack that was unknown a moment ago is found, at once where
// few unknown ones were named, else after the time that the list is believed for;
// and what was listed once needs no list.
func TestAnAddedPackIsFound(t *testing.T) {
	t.Parallel()
	store := &counted{packs: map[string]record.FactorPack{}}
	added := packOf(t, "added-later")
	s := newSource(store, time.Hour)
	if _, err := s.set(t.Context(), added.ID); !errors.Is(err, factors.ErrNotHeld) {
		t.Fatalf("before it is added: %v", err)
	}
	if err := store.InsertFactorPack(t.Context(), added); err != nil {
		t.Fatal(err)
	}
	if set, err := s.set(t.Context(), added.ID); err != nil || set.ID != added.ID {
		t.Fatalf("after: %v", err)
	}
	before := store.reads
	if _, err := s.set(t.Context(), added.ID); err != nil || store.reads != before+1 {
		t.Errorf("again: %d reads more, %v", store.reads-before, err)
	}
	// A hostile caller has used up all reads; the time goes by.
	for i := range 2 * readsAtOnce {
		_, _ = s.set(t.Context(), fmt.Sprintf("made-up-v%d", i+1))
	}
	later := packOf(t, "added-after-the-attack")
	if err := store.InsertFactorPack(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if _, err := s.set(t.Context(), later.ID); !errors.Is(err, factors.ErrNotHeld) {
		t.Errorf("within the time: %v", err)
	}
	s.mu.Lock()
	s.at = s.at.Add(-time.Hour)
	s.mu.Unlock()
	if _, err := s.set(t.Context(), later.ID); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// TestAnOutageIsNoUnknownSet: if the store is unavailable, it is unknown whether a set exists.
func TestAnOutageIsNoUnknownSet(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{errors.New("connection refused"), context.DeadlineExceeded, apperr.New(apperr.Unavailable, "away")} {
		store := &counted{packs: map[string]record.FactorPack{"one-v1": {}}, err: cause}
		s := newSource(store, time.Hour)
		if _, err := s.set(t.Context(), "one-v1"); apperr.CodeOf(err) != apperr.Unavailable || errors.Is(err, factors.ErrNotHeld) {
			t.Errorf("%v became %v", cause, err)
		}
		store.err = nil
		if _, err := s.set(t.Context(), "two-v1"); !errors.Is(err, factors.ErrNotHeld) {
			t.Errorf("after the outage: %v", err)
		}
		store.err = cause
		if _, err := s.set(t.Context(), "one-v1"); apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("a listed set, %v, became %v", cause, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newSource(&counted{}, time.Hour).set(ctx, "one-v1"); err == nil {
		t.Error("a caller who has gone was answered")
	}
}
