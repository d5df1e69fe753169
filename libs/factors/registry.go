package factors

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// In addition to the built-in sets a process has those of packs. It loads one from its source when it is first used,
// and caches it: it never changes, so calculations depend only on its id.

// ErrOtherContent is wrapped by the error for a set whose id exists with other content.
var ErrOtherContent = errors.New("factors: a set never changes")

// ErrNotHeld is wrapped by the error for a set that no source has.
var ErrNotHeld = errors.New("factors: no such set")

// Source returns the set of a pack by its id. The error wraps ErrNotHeld if the source has no such set; any other
// error means that it is unavailable.
type Source func(ctx context.Context, id string) (*Set, error)

var added struct {
	sync.RWMutex
	byID    map[string]*Set
	sources []*Source
}

// packID is the form of the ids of packs: a name, and the number of the release.
var packID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*-v[1-9][0-9]{0,5}$`)

// IsPackID reports whether id has the form of the id of a pack's set. No built-in set
// has it.
func IsPackID(id string) bool { return len(id) <= maxPackID && packID.MatchString(id) }

const (
	maxPackID = 80
	// askFor bounds how long a calculation waits for a set that is not cached.
	askFor = 5 * time.Second
)

// Follow adds a source of sets to the process until stop is called.
func Follow(source Source) (stop func()) {
	added.Lock()
	defer added.Unlock()
	added.sources = append(added.sources, &source)
	return func() {
		added.Lock()
		defer added.Unlock()
		added.sources = slices.DeleteFunc(added.sources, func(s *Source) bool { return s == &source })
	}
}

// Add adds the set of a pack to the process and returns the cached one with its id.
func Add(s *Set) (*Set, error) {
	if !IsPackID(s.ID) {
		return nil, fmt.Errorf("factors: %q is not the id of a pack", s.ID)
	}
	added.Lock()
	defer added.Unlock()
	if held, ok := added.byID[s.ID]; ok {
		if held.Checksum != s.Checksum {
			return nil, fmt.Errorf("%w: %s is held with the checksum %s, and this one has %s", ErrOtherContent, s.ID, held.Version(), s.Version())
		}
		return held, nil
	}
	if added.byID == nil {
		added.byID = make(map[string]*Set)
	}
	added.byID[s.ID] = s
	return s, nil
}

// Resolve returns a set by its id: a built-in one, or one of a pack, which is loaded if it is not cached.
func Resolve(ctx context.Context, id string) (*Set, error) {
	if s := held(id); s != nil {
		return s, nil
	}
	added.RLock()
	sources := slices.Clone(added.sources)
	added.RUnlock()
	var failed error
	if IsPackID(id) {
		for _, source := range sources {
			s, err := (*source)(ctx, id)
			if err == nil {
				return Add(s)
			}
			if !errors.Is(err, ErrNotHeld) {
				failed = errors.Join(failed, err)
			}
		}
	}
	if failed != nil {
		return nil, fmt.Errorf("factor set %s: %w", id, failed)
	}
	return nil, fmt.Errorf("%w as %q", ErrNotHeld, id)
}

// held returns the cached set with an id; nil: none.
func held(id string) *Set {
	if s, ok := all().byID[id]; ok {
		return s
	}
	added.RLock()
	defer added.RUnlock()
	return added.byID[id]
}

// ByID returns a set by its id, as Resolve does, but waits for it no longer than a calculation may. An error that
// does not wrap ErrNotHeld does not mean that there is no such set.
func ByID(id string) (*Set, error) {
	if s := held(id); s != nil { // most often, and without a timer
		return s, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	return Resolve(ctx, id)
}

// Added returns the sets of packs that the process has met, by id.
func Added() []*Set {
	added.RLock()
	defer added.RUnlock()
	out := make([]*Set, 0, len(added.byID))
	for _, s := range added.byID {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *Set) int { return strings.Compare(a.ID, b.ID) })
	return out
}
