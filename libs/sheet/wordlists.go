package sheet

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// wordList is a list of the words that people write in tables, by its name in [footprint.TableWords]: in small letters, and
// those of headings as plain writes them.
type wordList string

// ofType returns the list of words for a type of records, or for another thing that has several, which is empty where it has
// none.
func ofType(typ, name string) wordList { return wordListsOf()[[2]string{typ, name}] }

var wordListsOf = sync.OnceValue(func() map[[2]string]wordList {
	out := map[[2]string]wordList{}
	for list := range wordLists() {
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

var wordLists = sync.OnceValue(func() map[wordList]listed {
	var lists map[wordList][]string
	_ = json.Unmarshal(footprint.TableWords(), &lists) // a test asserts that it can be read
	out := make(map[wordList]listed, len(lists))
	var add func(of *listed, name wordList)
	add = func(of *listed, name wordList) {
		for _, word := range lists[name] {
			if other, all := strings.CutPrefix(word, "@"); all { // another list
				add(of, wordList(other))
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

// all returns the words in their order. The slice is shared.
func (l wordList) all() []string { return wordLists()[l].words }

// has reports whether a word is in the list.
func (l wordList) has(word string) bool { return wordLists()[l].set[word] }

// hasAny reports whether one of some words is in the list.
func (l wordList) hasAny(words []string) bool {
	set := wordLists()[l].set
	return len(set) > 0 && slices.ContainsFunc(words, func(word string) bool { return set[word] })
}
