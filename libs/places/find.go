package places

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/spelling"
)

// dominance is how many times the people of the next place the largest must
// have to be the one meant.
const dominance = 10

const (
	// wellKnown is the population from which a town is preferred anywhere.
	wellKnown = 100_000
	// rivalry is the ratio of populations at which a place with the text as another name is as likely as the largest
	// place with it as its main name.
	rivalry = 3
	// apart is the least distance of two places that are considered different, in metres: a district of a town may
	// have its old name.
	apart = 50_000
)

// maxCandidates bounds the list of an AmbiguousError.
const maxCandidates = 10

// MaxText is the length of the longest text that is looked up, in bytes.
const MaxText = 200

// maxParts is how many parts with commas between them a text may have. Each adds two
// readings, and each of those is looked up under every kind of name.
const maxParts = 8

// Found is the place a text means.
type Found struct {
	Place
	// Namesake is a place in another country that the text also names, if the event's country decided: one with more
	// than ten times the population, or one with it as its main name; otherwise nil.
	Namesake *Place
	// Abroad reports that no place in the event's country has the name, and that the one found elsewhere is not well
	// known.
	Abroad bool
}

// Find returns the place that text means: a town, a postcode area, a region's
// largest town or a district, optionally followed by its region and country,
// "Portland, Oregon, US". A country in the text decides; without one, the event's
// country is searched first (home, ISO 3166-1 alpha-2, may be empty), then the
// world. The largest of several places is taken only when it has ten times the
// people of the next. Another name decides only where no place has the text as its
// main name, or for a place of the event's country; but one that has three times the people
// of the place so called leaves it open which is meant: Cologne is a town in Lombardy. A name in another language or script,
// Venezia, finds a town only where nothing else is called so. No district of a city abroad is found without its country. The error is an *AmbiguousError or a *NotFoundError.
func Find(text, home string) (Found, error) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > MaxText {
		return Found{}, &NotFoundError{Text: text}
	}
	im := loaded()
	readings := queries(text)
	for _, kinds := range [...][]scope{scopes, lastScopes} {
		for _, q := range readings {
			found, err := im.find(text, q, home, kinds)
			if _, missing := errors.AsType[*NotFoundError](err); !missing {
				return found, err
			}
		}
	}
	return Found{}, &NotFoundError{Text: text, searched: im}
}

// query is a name with its location as far as stated.
type query struct {
	name    string
	country string
	regions []string // normalized, or codes of regions in upper case
}

// queries returns the readings of a text, the likeliest first. A part behind a
// comma that is both a country and a region ("CA") is read as a country first.
func queries(text string) []query {
	var out []query
	if strings.ContainsAny(text, "()") {
		// Some names have parentheses; otherwise they contain a country, as after a comma.
		out = split(text)
		text = strings.NewReplacer("(", ",", ")", "").Replace(text)
	}
	return append(out, split(text)...)
}

func split(text string) []query {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	if len(parts) > maxParts {
		return nil
	}
	var out []query
	// A few names have commas themselves; they are tried last.
	for n := 1; n <= len(parts); n++ {
		name, rest := strings.Join(parts[:n], ", "), parts[n:]
		if len(rest) > 0 {
			if code := countryOf(rest[len(rest)-1]); code != "" {
				out = append(out, query{name: name, country: code, regions: rest[:len(rest)-1]})
			}
		}
		out = append(out, query{name: name, regions: rest})
	}
	return out
}

// countryOf returns the code of a country by its code or name.
func countryOf(text string) string {
	if c, ok := locations.CountryByCode(text); ok {
		return c.Code
	}
	if code, ok := countryNames()[Normalize(text)]; ok {
		return code
	}
	if codes := locations.SuggestCountry(text); len(codes) == 1 {
		return codes[0]
	}
	return ""
}

// countryNames are the codes of countries by their normalized names.
var countryNames = sync.OnceValue(func() map[string]string {
	codes := map[string]string{}
	for _, c := range locations.Countries() {
		if name := Normalize(c.Name); codes[name] == "" {
			codes[name] = c.Code
		}
	}
	return codes
})

// scope is where to search and by what kind of names; home: in the country of the text, or else of the event, alone.
type scope struct {
	home bool
	kind string
}

// scopes are where and by what kinds of names to search, in this order: a main
// name anywhere is better than another name in the event's country, unless that is of a
// place as large (see byOtherNameAtHome).
var scopes = []scope{
	{true, ByName}, {true, BySmallName}, {false, ByName},
	{true, ByOtherName}, {false, ByOtherName}, {false, BySmallName}, {false, BySmallOtherName},
	{true, ByRegion}, {false, ByRegion},
	{true, ByDistrict}, {false, ByDistrict},
}

// lastScopes are searched where no reading of a text is found otherwise: a name in another language never decides against
// another kind of name.
var lastScopes = []scope{{true, ByFurtherName}, {false, ByFurtherName}}

func (im *image) find(text string, q query, home string, kinds []scope) (Found, error) {
	stated := q.country
	if stated == "" {
		stated = home
	}
	if p, ok := im.postcode(q.name, stated); ok {
		return Found{Place: p}, nil
	}
	key := Normalize(q.name)
	if q.country != "" {
		home = ""
	}
	for _, s := range kinds {
		within := q.country
		if s.home {
			if within = cmp.Or(q.country, home); within == "" {
				continue
			}
		}
		list := im.kept(im.named(s.kind, key), within, q.regions)
		if len(list) == 0 {
			continue
		}
		if s.kind == ByName {
			if !s.home {
				if found, decided, err := im.byOtherNameAtHome(text, key, home, q.regions, list); decided {
					return found, err
				}
			}
			if larger := im.largerByOtherName(list, key, within, q.regions, rivalry); len(larger) > 0 {
				return Found{}, ambiguous(text, slices.Concat(larger, list))
			}
			list = im.withDistricts(list, key, within, q.regions)
		}
		if s.kind == BySmallName && within != "" {
			if larger := im.largerByOtherName(list, key, within, q.regions, dominance); len(larger) > 0 {
				return Found{}, ambiguous(text, slices.Concat(larger, list))
			}
		}
		if s.kind == ByDistrict && within == "" && home != "" {
			return Found{}, ambiguous(text, list)
		}
		best, err := decide(text, list)
		if err != nil {
			return Found{}, err
		}
		found := Found{Place: best}
		switch {
		case home == "" || len(q.regions) > 0:
		case s.home:
			found.Namesake = im.larger(best, key)
		default:
			found.Abroad = best.Population < wellKnown
		}
		return found, nil
	}
	return Found{}, &NotFoundError{Text: text}
}

// byOtherNameAtHome decides between the places of the event's country of which the text
// is another name and those elsewhere of which it is the main one: Hull is Kingston upon
// Hull in Great Britain, and no town in Massachusetts. Those at home are meant where they
// are as large, those elsewhere where they have ten times the people, and else neither is
// known to be. Decided is false where those elsewhere remain.
func (im *image) byOtherNameAtHome(text, key, home string, regions []string, elsewhere []Place) (found Found, decided bool, err error) {
	if home == "" {
		return Found{}, false, nil
	}
	atHome := im.kept(im.named(ByOtherName, key), home, regions)
	if len(atHome) == 0 {
		return Found{}, false, nil
	}
	ours, theirs := largest(atHome), largest(elsewhere)
	switch {
	case theirs.Population >= dominance*ours.Population:
		return Found{}, false, nil
	case ours.Population < theirs.Population:
		return Found{}, true, ambiguous(text, slices.Concat(elsewhere, atHome))
	}
	best, err := decide(text, atHome)
	if err != nil {
		return Found{}, true, err
	}
	return Found{Place: best, Namesake: &theirs}, true, nil
}

// largerByOtherName returns the places of which a name is another one and that have a number of
// times the people of the largest place that is so called.
func (im *image) largerByOtherName(list []Place, key, country string, regions []string, times int64) []Place {
	first := largest(list)
	return slices.DeleteFunc(im.kept(im.named(ByOtherName, key), country, regions), func(o Place) bool {
		return o.Population < times*first.Population || locations.GreatCircleMetres(o.Location(), first.Location()) < apart
	})
}

func largest(list []Place) Place {
	return slices.MaxFunc(list, func(a, b Place) int { return cmp.Compare(a.Population, b.Population) })
}

// kept returns the places in the country and in all of the regions.
func (im *image) kept(list []Place, country string, regions []string) []Place {
	return slices.DeleteFunc(list, func(p Place) bool {
		if country != "" && p.Country != country {
			return true
		}
		return slices.ContainsFunc(regions, func(r string) bool {
			return !strings.EqualFold(r, p.RegionCode) && Normalize(r) != Normalize(p.Region)
		})
	})
}

// withDistricts adds the districts that bear the name of a town and are not much
// smaller than the largest such town: Brooklyn is more than a town in Ohio.
func (im *image) withDistricts(list []Place, key, country string, regions []string) []Place {
	first := largest(list)
	for _, d := range im.kept(im.named(ByDistrict, key), country, regions) {
		far := locations.GreatCircleMetres(d.Location(), first.Location()) > apart
		if far && d.Population*dominance > first.Population {
			list = append(list, d)
		}
	}
	return list
}

// decide returns the one place meant, or an *AmbiguousError.
func decide(text string, list []Place) (Place, error) {
	list = distinct(list)
	if len(list) == 1 || list[0].Population > 0 && list[0].Population >= dominance*list[1].Population {
		return list[0], nil
	}
	return Place{}, ambiguous(text, list)
}

// ambiguous returns an *AmbiguousError of places.
func ambiguous(text string, list []Place) error {
	list = distinct(list)
	e := &AmbiguousError{Text: text, Candidates: list}
	if len(list) > maxCandidates {
		e.Candidates, e.More = list[:maxCandidates], len(list)-maxCandidates
	}
	return e
}

// distinct sorts places, the largest first, and removes duplicates of one town: GeoNames has some towns twice, and
// distance does not identify them.
func distinct(list []Place) []Place {
	slices.SortStableFunc(list, func(a, b Place) int { return cmp.Compare(b.Population, a.Population) })
	var out []Place
	for _, p := range list {
		if !slices.ContainsFunc(out, func(o Place) bool {
			return o.Country == p.Country && locations.GreatCircleMetres(o.Location(), p.Location()) < 5_000
		}) {
			out = append(out, p)
		}
	}
	return out
}

// larger returns a namesake elsewhere with more than ten times the population.
func (im *image) larger(p Place, key string) *Place {
	for _, o := range im.named(ByName, key) {
		if o.Country != p.Country && o.Population > dominance*p.Population {
			return &o
		}
	}
	return nil
}

// suggest returns names of larger towns that resemble the text.
func (im *image) suggest(text string) []string {
	key := Normalize(text)
	name, _, _ := strings.Cut(text, ",")
	if short := Normalize(name); short != "" {
		key = short
	}
	if len(key) < 3 {
		return nil
	}
	s := im.names[ByName]
	first := sort.Search(s.len(), func(i int) bool { return s.key(i) >= key[:1] })
	var candidates []string
	for i := first; i < s.len(); i++ {
		k := s.key(i)
		if k[0] != key[0] {
			break
		}
		if len(k) <= len(key)+3 && len(k)+3 >= len(key) {
			candidates = append(candidates, k)
		}
	}
	var out []string
	for _, k := range spelling.Nearest(key, candidates, 3) {
		if list := im.named(ByName, k); len(list) > 0 {
			out = append(out, list[0].String())
		}
	}
	return out
}
