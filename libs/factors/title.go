package factors

import (
	"regexp"
	"strconv"
	"sync"
)

// setTitles are those of the built-in sets by checksum: to read thousands of rows takes milliseconds, and a report asks
// many times.
var setTitles sync.Map

// Title is what the set is called: the publication of its own year that most of its rows are from, with its publisher,
// such as "UK Government GHG conversion factors 2026 (DESNZ)", or the title of its pack. A set that has neither is
// called by its id.
func (s *Set) Title() string {
	if s.Pack != nil && s.Pack.Title != "" {
		if s.Pack.Publisher == "" {
			return s.Pack.Title
		}
		return s.Pack.Title + " (" + s.Pack.Publisher + ")"
	}
	if title, ok := setTitles.Load(s.Checksum); ok {
		return title.(string)
	}
	title := s.published()
	setTitles.Store(s.Checksum, title)
	return title
}

// published returns the most frequent publication of the set's year, or the id.
func (s *Set) published() string {
	published := regexp.MustCompile(`^(\p{Lu}+)(?: \([^)]*\))?,? ([^,(]*\bfactors ` + strconv.Itoa(s.Year) + `)\b`)
	count := map[string]int{}
	title := s.ID
	for i := range s.factors {
		m := published.FindStringSubmatch(Cite(s.factors[i].Source, "").Publication)
		if m == nil {
			continue
		}
		name := m[2] + " (" + m[1] + ")"
		if count[name]++; count[name] > count[title] {
			title = name
		}
	}
	return title
}
