package fields

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/spelling"
)

// NameBy adds suggestions by meaning for unknown fields before those by spelling: named returns the fields of the object
// at path that a name, folded by FoldName, means.
func (r *Reader) NameBy(named func(path, name string) []string) { r.named = named }

// FoldName reduces the name of a field, or words for it, to letters and digits in lower case: numberOfPeople and Number
// of people are the same.
func FoldName(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}

// related returns the fields of this object, of those that were requested, that an unknown one may have been meant for,
// the likeliest first; at most 2.
func (r *Reader) related(name string) []string {
	const most = 2
	known := r.known()
	var out []string
	if r.named != nil {
		out = slices.DeleteFunc(slices.Clone(r.named(r.path, FoldName(name))), func(field string) bool { return !slices.Contains(known, field) })
	}
	for _, field := range spelling.Related(name, known, most) {
		if !slices.Contains(out, field) {
			out = append(out, field)
		}
	}
	return out[:min(len(out), most)]
}
