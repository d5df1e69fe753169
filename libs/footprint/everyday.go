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

// everyday holds, by word, the values that people mean by it: those of
// words/everyday.json, which is how invoices and lists say things, and the German
// names of the values. A word may mean values of several fields, and several values
// of one.
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

// plainWords writes text in small letters, with single spaces for what joins words.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" -_/,;:()\t\u00a0", r) }), " ")
}

// meant returns those of the allowed values that the words of a text mean, those of
// its longest known phrases first: "AV hire" means av_hire, and "shuttle bus" a bus
// or a coach. It decides nothing, since a word may mean several things: what it
// returns is what people are asked about.
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

// meanings returns the values that a phrase of plain words means as a whole, its own
// name first. It may be in the plural.
func meanings(phrase string) []string {
	return slices.Concat([]string{strings.ReplaceAll(phrase, " ", "_")}, everyday()[phrase], everyday()[strings.TrimSuffix(phrase, "s")])
}

// suggested returns the names that a text means or looks like, all of them where it
// does neither.
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
