package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// importsAtOnce is the number of imports that one process works on, each of another
	// organization; it bounds their memory. There are as many additional slots for short files,
	// which use little memory.
	importsAtOnce = 32
	// shortImport is the maximum size of a short file, in bytes.
	shortImport = 64 << 10
	// importTurn is how long an import that has begun to create records keeps its slot while
	// other organizations wait for one. When resumed, it reads its file from the beginning.
	importTurn = 5 * time.Second
)

// errGivesWay suspends the work on an import; it is resumed after the waiting ones of others.
var errGivesWay = errors.New("the import gives way to others")

// place is the kind of slot of an import.
type place int

const (
	anyPlace place = iota
	shortPlace
)

// importPlaces are the import slots of a process. An organization has one at a time, and the
// one that has waited longest is next.
type importPlaces struct {
	// crowded reports that an import is waiting for a slot.
	crowded atomic.Bool
	most    int // of each kind

	mu      sync.Mutex
	working map[record.OrgID]bool
	taken   [2]int
	// turn orders organizations by when they last had a slot.
	turn map[record.OrgID]int64
	last int64
	// long are the waiting imports whose files are not short.
	long map[string]bool
	// gaveWay are suspended imports that are to be resumed.
	gaveWay []string
}

func newImportPlaces(most int) *importPlaces {
	return &importPlaces{most: most, working: map[record.OrgID]bool{}, turn: map[record.OrgID]int64{}, long: map[string]bool{}}
}

// inTurn returns the open imports of each organization, in order of arrival, starting with the
// organization that has waited longest. It forgets the turns of others.
func (p *importPlaces) inTurn(open []record.OpenImport) [][]record.OpenImport {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := map[record.OrgID]int{}
	var all [][]record.OpenImport
	turn, long := map[record.OrgID]int64{}, map[string]bool{}
	for _, o := range open {
		n, ok := at[o.Org]
		if !ok {
			n = len(all)
			at[o.Org], all = n, append(all, nil)
			turn[o.Org] = p.turn[o.Org]
		}
		all[n] = append(all[n], o)
		if p.long[o.ID] {
			long[o.ID] = true
		}
	}
	p.turn, p.long = turn, long
	slices.SortStableFunc(all, func(a, b []record.OpenImport) int { return cmp.Compare(turn[a[0].Org], turn[b[0].Org]) })
	return all
}

// returned returns the imports suspended since the previous call.
func (p *importPlaces) returned() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := p.gaveWay
	p.gaveWay = nil
	return ids
}

// has reports whether an organization has a slot.
func (p *importPlaces) has(org record.OrgID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.working[org]
}

// none reports whether there is no slot for an import.
func (p *importPlaces) none(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken[anyPlace] >= p.most && (p.taken[shortPlace] >= p.most || p.long[id])
}

// take assigns a slot to an import, if one of that kind is free and its organization has none.
func (p *importPlaces) take(i record.Import, kind place) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.working[i.Org] || p.taken[kind] >= p.most {
		return false
	}
	p.taken[kind]++
	p.last++
	p.working[i.Org], p.turn[i.Org] = true, p.last
	return true
}

// free releases a slot.
func (p *importPlaces) free(i record.Import, kind place, gaveWay bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[kind]--
	delete(p.working, i.Org)
	if gaveWay {
		p.gaveWay = append(p.gaveWay, i.ID)
	}
}

// isLong records that the file of an import is not short.
func (p *importPlaces) isLong(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long[id] = true
}

// placeOf acquires a slot for an import that is due, and reports whether it could.
func (m *Importer) placeOf(ctx context.Context, i record.Import) (kind place, ok bool, err error) {
	if m.places.take(i, anyPlace) {
		return anyPlace, true, nil
	}
	short, err := m.short(ctx, i)
	switch {
	case err != nil:
		return shortPlace, false, err
	case !short:
		m.places.isLong(i.ID)
		return shortPlace, false, nil
	}
	return shortPlace, m.places.take(i, shortPlace), nil
}

// short reports whether the file of an import is short.
func (m *Importer) short(ctx context.Context, i record.Import) (bool, error) {
	first, err := m.store.ImportPart(ctx, i.Org, i.ID, 0)
	if errors.Is(err, record.ErrNotFound) {
		return true, nil // nothing to do
	}
	if err != nil || len(first) > shortImport {
		return false, err
	}
	_, err = m.store.ImportPart(ctx, i.Org, i.ID, 1)
	if errors.Is(err, record.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// givesWay reports whether an import is to release its slot to another one.
func (j *job) givesWay() bool {
	return j.places.crowded.Load() && j.now().Sub(j.began) >= importTurn
}

// allOpen returns the unfinished imports of all organizations.
func allOpen(ctx context.Context, store record.Store) (all []record.OpenImport, err error) {
	after := ""
	for {
		page, err := store.OpenImports(ctx, after, openImports)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < openImports {
			return all, nil
		}
		after = page[len(page)-1].ID
	}
}

// OpenOf returns the number of unfinished imports of an organization, or RATE_LIMITED at the
// maximum.
func OpenOf(ctx context.Context, store record.Store, org record.OrgID) (own int64, err error) {
	open, err := allOpen(ctx, store)
	if err != nil {
		return 0, err
	}
	for _, o := range open {
		if o.Org == org {
			own++
		}
	}
	if own < MaxOpen {
		return own, nil
	}
	return own, &apperr.Error{Code: apperr.RateLimited, RetryAfter: importRetry,
		Message: fmt.Sprintf("Your organization has %d imports that are not finished. Please wait for one of them.", own)}
}
