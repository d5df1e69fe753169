// Package wordlist has the words that people write in tables, in every language that tables are in.
package wordlist

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// List is a list of the words that people write in tables, by its name in [footprint.TableWords]: in small letters, and
// those of headings as plain writes them.
type List string

// OfType returns the list of words for a type of records, or for another thing that has several, which is empty where it has
// none.
func OfType(typ, name string) List { return listsOf()[[2]string{typ, name}] }

var listsOf = sync.OnceValue(func() map[[2]string]List {
	out := map[[2]string]List{}
	for list := range byName() {
		if typ, name, ok := strings.Cut(string(list), "."); ok {
			out[[2]string{typ, name}] = list
		}
	}
	return out
})

// listed are the words of a list, in their order and to be looked up.
type listed struct {
	words []string
	set   map[string]bool
}

var byName = sync.OnceValue(func() map[List]listed {
	var lists map[List][]string
	_ = json.Unmarshal(footprint.TableWords(), &lists) // a test asserts that it can be read
	out := make(map[List]listed, len(lists))
	var add func(of *listed, name List)
	add = func(of *listed, name List) {
		for _, word := range lists[name] {
			if other, all := strings.CutPrefix(word, "@"); all { // another list
				add(of, List(other))
				continue
			}
			of.words, of.set[word] = append(of.words, word), true
		}
	}
	for name := range lists {
		of := listed{set: map[string]bool{}}
		add(&of, name)
		out[name] = of
	}
	return out
})

// All returns the words in their order. The slice is shared.
func (l List) All() []string { return byName()[l].words }

// Has reports whether a word is in the list.
func (l List) Has(word string) bool { return byName()[l].set[word] }

// HasAny reports whether one of some words is in the list.
func (l List) HasAny(words []string) bool {
	set := byName()[l].set
	return len(set) > 0 && slices.ContainsFunc(words, func(word string) bool { return set[word] })
}
