package footprint

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/spelling"
)

//go:embed words/everyday.json
var everydayWords []byte

// everyday holds the values meant by common words: those of words/everyday.json, as used in invoices and lists, and
// the German names of the values. A word may mean values of several fields, and several values of one.
var everyday = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	_ = json.Unmarshal(everydayWords, &out) // a test asserts that it can be read
	for _, value := range slices.Sorted(maps.Keys(german().Values)) {
		word := german().Values[value]
		if field, bare, ok := strings.Cut(value, "."); ok && !strings.Contains(field, " ") {
			value = bare
		}
		if word = plainWords(word); !slices.Contains(out[word], value) {
			out[word] = append(out[word], value)
		}
	}
	return out
})

// plainWords returns text in lower case, with single spaces as separators.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" -_/,;:()\t\u00a0", r) }), " ")
}

// meant returns the allowed values that the words of a text mean, those of its longest known phrases first: av_hire
// for "AV hire", bus and coach for "shuttle bus". Since words are ambiguous, the result is only suggested.
func meant(text string, allowed []string) []string {
	const longest = 64
	if len(text) > longest {
		return nil
	}
	words := strings.Fields(plainWords(text))
	var out []string
	if isGas(text) && slices.Contains(allowed, refrigerant) {
		out = append(out, refrigerant)
	}
	for n := len(words); n > 0; n-- {
		for i := range len(words) - n + 1 {
			phrase := strings.Join(words[i:i+n], " ")
			for _, v := range meanings(phrase) {
				if slices.Contains(allowed, v) && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// meanings returns the values meant by a phrase as a whole, its own name first. It may be in the plural.
func meanings(phrase string) []string {
	return slices.Concat([]string{strings.ReplaceAll(phrase, " ", "_")}, everyday()[phrase], everyday()[strings.TrimSuffix(phrase, "s")])
}

// suggested returns the names that a text means or resembles; all of them if there are none.
func suggested(text string, names []string) []string {
	const most = 3
	out := meant(text, names)
	for _, n := range spelling.Nearest(text, names, most) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return names
	}
	return out[:min(len(out), most)]
}
