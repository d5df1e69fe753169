package calculation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

// setView is a factor set without its rows.
type setView struct {
	ID   string `json:"id"`
	Year int    `json:"year"`
	// Version is the SHA-256 of the set; results name it.
	Version string       `json:"version"`
	Factors int          `json:"factors"`
	Sources []sourceView `json:"sources"`
	// Attributions are the required lines next to figures made with the set.
	Attributions []string `json:"attributions"`
	// Pack is the origin of a set that is not built in.
	Pack *packView `json:"pack,omitempty"`
}

// packView is the origin of a set that an operator has added.
type packView struct {
	Name      string   `json:"name"`
	Release   int      `json:"release"`
	Title     string   `json:"title"`
	Publisher string   `json:"publisher"`
	Base      string   `json:"base,omitempty"`
	StandIns  []string `json:"standIns"`
	// Rows is how many of the set's rows are the pack's own.
	Rows     int  `json:"rows"`
	Unsigned bool `json:"unsigned"`
	// SignedBy is the thumbprint of the key that signed the pack.
	SignedBy string `json:"signedBy,omitempty"`
}

type sourceView struct {
	Source  string `json:"source"`
	Licence string `json:"licence"`
	Factors int    `json:"factors"`
}

// rowsView is a factor set with a page of its rows.
type rowsView struct {
	setView
	web.List[servedRow]
}

// servedRow is a row, with the reason where no record uses it.
type servedRow struct {
	bundle.Factor
	NotUsed string `json:"notUsed,omitempty"`
}

func rowsOf(all []factors.Factor) []bundle.Factor {
	rows := make([]bundle.Factor, len(all))
	for i, f := range all {
		rows[i] = bundle.FactorOf(f)
		cited := factors.Cite(f.Source, f.SourceLocation)
		rows[i].Source, rows[i].SourceLocation = cited.Publication, cited.Located()
	}
	return rows
}

// setViews caches the views of sets, each of which requires reading every row. A set is identified by its id and
// checksum.
type setViews struct{ made *lru.Cache[setKey, setView] }

type setKey struct{ id, version string }

// keptSetViews is the size of the cache; a view has some kilobytes.
const keptSetViews = 64

func newSetViews() setViews { return setViews{lru.New[setKey, setView](keptSetViews)} }

func (v setViews) of(set *factors.Set) setView {
	key := setKey{set.ID, set.Checksum}
	view, ok := v.made.Get(key)
	if !ok {
		rows := rowsOf(set.Factors())
		view = setView{ID: set.ID, Year: set.Year, Version: set.Checksum, Factors: len(rows),
			Sources: sourcesOf(rows), Attributions: explain.Attributions(rows)}
		v.made.Put(key, view)
	}
	view.Pack = viewOfPack(set.Pack)
	return view
}

func viewOfPack(p *factors.Pack) *packView {
	if p == nil {
		return nil
	}
	return &packView{Name: p.Name, Release: p.Release, Title: p.Title, Publisher: p.Publisher, Base: p.Base,
		StandIns: append([]string{}, p.StandIns...), // a pack may leave them out
		Rows:     p.Rows, Unsigned: p.SignedBy == "", SignedBy: p.SignedBy}
}

// sourcesOf lists the sources of rows, the one with the most rows first.
func sourcesOf(rows []bundle.Factor) []sourceView {
	sources := []sourceView{}
	for _, f := range rows {
		at := slices.IndexFunc(sources, func(v sourceView) bool { return v.Source == f.Source && v.Licence == f.Licence })
		if at < 0 {
			at, sources = len(sources), append(sources, sourceView{Source: f.Source, Licence: f.Licence})
		}
		sources[at].Factors++
	}
	slices.SortStableFunc(sources, func(a, b sourceView) int { return cmp.Or(b.Factors-a.Factors, cmp.Compare(a.Source, b.Source)) })
	return sources
}

// allSets returns the sets an event can have: the built-in ones, newest first, then
// those that operators have added, the last one first.
func (s *server) allSets(ctx context.Context) ([]*factors.Set, error) {
	ids, err := s.Records.FactorPackIDs(ctx)
	if err != nil {
		return nil, err
	}
	sets := factors.Sets()
	for _, id := range ids {
		set, err := factors.Resolve(ctx, id)
		if errors.Is(err, factors.ErrNotHeld) {
			continue // added just now; this process will load it soon
		}
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// factorSets lists the factor sets.
func (s *server) factorSets(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	sets, err := s.allSets(c.UserContext())
	if err != nil {
		return err
	}
	total := int64(len(sets))
	from, to := page.Within(total)
	views := []setView{}
	for _, set := range sets[from:to] {
		views = append(views, s.sets.of(set))
	}
	return web.OK(c, web.NewList(views, page, total))
}

// factorSet serves one set with a page of its rows, in the order of the set.
func (s *server) factorSet(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	set, err := factors.Resolve(c.UserContext(), c.Params("setId"))
	if errors.Is(err, factors.ErrNotHeld) {
		return apperr.New(apperr.NotFound, "There is no factor set with this id.").With(unknownSet("setId"))
	}
	if err != nil {
		return err
	}
	total := int64(len(set.Factors()))
	from, to := page.Within(total)
	views := make([]servedRow, 0, to-from)
	for _, row := range rowsOf(set.Factors()[from:to]) {
		views = append(views, servedRow{row, footprint.NotUsed(set, row.Series)})
	}
	return web.OK(c, rowsView{s.sets.of(set), web.NewList(views, page, total)})
}

// readSet returns the set named by factorSet in a body; an unknown set is a fault of the body. The error is that of
// an unavailable store.
func readSet(c *fiber.Ctx, r *fields.Reader, id string) (*factors.Set, error) {
	set, err := factors.Resolve(c.UserContext(), id)
	if errors.Is(err, factors.ErrNotHeld) {
		r.Fault(unknownSet("factorSet"))
		return nil, nil //nolint:nilnil // the fault tells
	}
	return set, err
}

// unknownSet is the detail of an unknown set.
func unknownSet(field string) apperr.Detail {
	d := apperr.Detail{Field: field, Code: "UNKNOWN_FACTOR_SET", Message: "suggestions lists the available factor sets."}
	for _, set := range append(factors.Sets(), factors.Added()...) {
		d.Suggestions = append(d.Suggestions, set.ID)
	}
	return d
}
