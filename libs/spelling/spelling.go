// Package spelling suggests corrections of misspelled words.
package spelling

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// Nearest returns at most count of the candidates that are close to word, the closest first, ignoring case.
func Nearest(word string, candidates []string, count int) []string {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" || len(word) > 64 {
		return nil
	}
	type scored struct {
		name string
		cost int
	}
	var found []scored
	m := measure{word: []rune(word), letters: lettersOf(word)}
	for _, c := range candidates {
		lower := strings.ToLower(c)
		// One error per three letters.
		limit := max(len(lower)/3, 1)
		cost := m.distance(lower, limit)
		if len(word) >= 3 && (strings.HasPrefix(lower, word) || strings.HasPrefix(word, lower) && len(lower) >= 3) {
			cost = min(cost, limit)
		}
		if cost <= limit {
			found = append(found, scored{c, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.cost - b.cost })
	if len(found) == 0 {
		return nil
	}
	out := make([]string, 0, count)
	for _, f := range found[:min(len(found), count)] {
		out = append(out, f.name)
	}
	return out
}

// Related returns the result of Nearest and after it the candidates, names in camel case or with underscores, that
// share words with word: one has all words of the other, or both begin with the same word of four letters or more. So
// kVA is related to generatorKVA, electric to battery_electric, and distanceMiles to distanceKm.
func Related(word string, candidates []string, count int) []string {
	out := Nearest(word, candidates, count)
	mine := words(word)
	if len(mine) == 0 || len(word) > 64 {
		return out
	}
	all := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
	}
	add := func(like func(theirs []string) bool) {
		for _, c := range candidates {
			if theirs := words(c); len(out) < count && len(theirs) > 0 && !slices.Contains(out, c) && like(theirs) {
				out = append(out, c)
			}
		}
	}
	add(func(theirs []string) bool { return all(mine, theirs) || all(theirs, mine) })
	add(func(theirs []string) bool { return len(mine[0]) >= 4 && mine[0] == theirs[0] })
	return out
}

// words returns the words of a name in lower case; the capitals of kVA and CO2
// are one word.
func words(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
			continue
		case unicode.IsUpper(c) && len(word) > 1 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, c)
	}
	end()
	return out
}

// measure compares a word with others. It reuses its buffers: a misspelled place is compared with thousands of names.
type measure struct {
	word, other       []rune
	letters           uint64 // those of word
	before, last, row []int
}

// distance returns the number of insertions, deletions, replacements and transpositions; above limit it returns only
// a number above limit.
func (m *measure) distance(other string, limit int) int {
	m.other = m.other[:0]
	for _, r := range other {
		m.other = append(m.other, r)
	}
	x, y := m.word, m.other
	if n := len(x) - len(y); n > limit || -n > limit {
		return limit + 1
	}
	// A letter that only one of them has is an error. This rejects most words.
	theirs := lettersOf(other)
	if bits.OnesCount64(m.letters&^theirs) > limit || bits.OnesCount64(theirs&^m.letters) > limit {
		return limit + 1
	}
	m.before, m.last, m.row = sized(m.before, len(y)+1), sized(m.last, len(y)+1), sized(m.row, len(y)+1)
	for j := range m.last {
		m.last[j] = j
	}
	near := 0 // the least of the row before
	for i := 1; i <= len(x); i++ {
		m.row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			m.row[j] = min(m.last[j]+1, m.row[j-1]+1, m.last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				m.row[j] = min(m.row[j], m.before[j-2]+1)
			}
			least = min(least, m.row[j])
		}
		if least > limit && near > limit {
			return limit + 1 // the next row depends only on these two
		}
		near = least
		m.before, m.last, m.row = m.last, m.row, m.before
	}
	return m.last[len(y)]
}

// lettersOf returns the set of letters of a word as bits, some of which letters share.
func lettersOf(word string) (letters uint64) {
	for _, r := range word {
		letters |= 1 << (r & 63)
	}
	return letters
}

// sized returns a slice of n numbers, reusing the given one if it is long enough.
func sized(s []int, n int) []int {
	if cap(s) < n {
		return make([]int, n, 2*n)
	}
	return s[:n]
}
