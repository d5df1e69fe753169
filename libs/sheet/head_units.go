package sheet

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// qualifiedUnit is a unit at the end of a heading with the word behind it, in brackets, that says which one it is: Tons (short).
var qualifiedUnit = regexp.MustCompile(`(?i)^(.*?)\s*\b(\p{L}+)\s*[(\[]\s*(short|long|metric|us|uk|imperial)\s*[)\]]\s*$`)

// usualUnits returns a heading with its unit as units are known by: Amount (short tons) for Tons (short), and Weight (t) for
// Weight ('000 kg).
func usualUnits(head string) string {
	if len(head) > longestMark {
		return head
	}
	if m := qualifiedUnit.FindStringSubmatch(head); m != nil && isUnit(m[3]+" "+m[2]) {
		return cmp.Or(m[1], amountWord) + " (" + m[3] + " " + m[2] + ")"
	}
	if stem, word, ok := unitOfHead(head); ok {
		if unit, of := ofThousands(word); of && thousandfold[unit] != "" {
			return stem + " (" + thousandfold[unit] + ")"
		}
	}
	return head
}

// thousandfold are units by those of which they are a thousand.
var thousandfold = map[string]string{"g": "kg", "kg": "t", "m": "km", "kWh": "MWh", "MWh": "GWh"}

// thousandWords are words for a thousand of what stands beside them.
const thousandWords wordlist.List = "thousandWords"

// ofThousands returns the symbol of the unit of which a text says thousands, empty for those of no unit: '000 kg, x 1.000.
func ofThousands(text string) (unit string, ok bool) {
	words := strings.Fields(strings.ToLower(text))
	for i := 0; i < len(words); i++ {
		if thousandWords.Has(strings.TrimLeft(words[i], "x×*")) {
			words, ok = append(words[:i:i], words[i+1:]...), true
			break
		}
	}
	rest := strings.Trim(strings.TrimPrefix(strings.Join(words, " "), "in "), "x×* ")
	if !ok || rest == "" || rest == "in" {
		return "", ok
	}
	for _, dimension := range units.Dimensions() {
		if u, err := units.ByName(rest, dimension); err == nil {
			return u.Symbol, true
		}
	}
	return "", false
}

// inThousands returns the field of numbers of people or things that a heading says are in thousands, such as Visitors (x 1000); -1
// if it means none.
func (in *interpreter) inThousands(head string) int {
	stem, word, found := unitOfHead(head)
	if unit, of := ofThousands(word); !found || !of || unit != "" {
		return -1
	}
	i := headed(in.known, stem)
	if i < 0 && in.typ == footprint.OriginRows && peopleHeads.Has(plain(stem)) {
		i = slices.IndexFunc(in.known, func(c Column) bool { return c.Name == "people" })
	}
	if i < 0 || in.known[i].Type != "integer" {
		return -1
	}
	return i
}

// countCell sets a number of people or things that is in thousands.
func (in *interpreter) countCell(b *body, at int, cell string) *apperr.Detail {
	n, filled, fault := in.partNumber(at, cell)
	if fault != nil || !filled {
		return fault
	}
	return b.setRounded(in.columns[at].Name, new(big.Rat).Mul(units.Rat(n), big.NewRat(1000, 1)))
}
