package charsets

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// maxLikely is how many encodings Likely returns.
const maxLikely = 3

// Likely returns the encodings that a text not in UTF-8 is most likely in, the most likely one first. The text is read in each;
// what counts is how many of its characters outside of ASCII tables in that encoding usually have, where they stand.
func Likely(text string) []string {
	type candidate struct {
		name  string
		share float64
	}
	var found []candidate
	for _, c := range charsets {
		decoded, err := c.NewDecoder().String(text)
		if err != nil || strings.ContainsFunc(decoded, undefined) {
			continue
		}
		if share := c.usual([]rune(decoded)); share >= 0.5 {
			found = append(found, candidate{c.name, share})
		}
	}
	// Equals stay in the order of charsets.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.share, a.share) })
	names := make([]string, 0, maxLikely)
	for _, c := range found[:min(len(found), maxLikely)] {
		names = append(names, c.name)
	}
	return names
}

// usual returns the share of the characters outside of ASCII that are usual in texts of the encoding; 0 if there are none.
func (c charset) usual(text []rune) float64 {
	all, usual := 0, make([]int, max(len(c.alphabets), 1)) // by language
	for i, r := range text {
		if r <= unicode.MaxASCII {
			continue
		}
		all++
		before, after := ' ', ' '
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			after = text[i+1]
		}
		if !fits(r, before, after) {
			continue
		}
		for language := range usual {
			if c.has(language, r) {
				usual[language]++
			}
		}
	}
	return float64(slices.Max(usual)) / float64(max(all, 1))
}

func (c charset) has(language int, r rune) bool {
	switch {
	case len(c.alphabets) == 0:
		return unicode.In(r, japaneseScripts...) || strings.ContainsRune("・、。「」（）：％ー～", r)
	case unicode.IsLetter(r):
		return strings.ContainsRune(c.alphabets[language], unicode.ToLower(r))
	}
	return strings.ContainsRune("€£°²³½¼§×·º«»–—‘’“”„…¿¡№™®©\u00a0", r)
}

// fits reports whether a character may stand between two others: a sign within a word, a capital after a small letter, and œ
// other than in œuvre or cœur, come from reading a text in an encoding that it is not in.
func fits(r, before, after rune) bool {
	switch {
	case r == 'œ':
		return after == 'u'
	case unicode.IsLetter(r):
		return !unicode.IsUpper(r) || !unicode.IsLower(before)
	case strings.ContainsRune("’‘–—\u00a0", r):
		return true
	case strings.ContainsRune("²³£½¼€", r) && unicode.IsLetter(after):
		return false
	}
	return !unicode.IsLetter(before) || !unicode.IsLetter(after)
}
