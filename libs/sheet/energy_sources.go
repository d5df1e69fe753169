package sheet

import (
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// sources are what tables of energy without a column of sources say of them: the short texts of materials in goods movements, the
// articles of fuel cards, the kinds of services of meters.
type sources struct {
	*table
	// at are the columns of such texts.
	at []int
}

// sourceTextHeads are headings of such texts, normalized by plain. Those of descriptions are looked at as well.
const sourceTextHeads wordlist.List = "sourceTextHeads"

// findTexts finds the texts of a table that has no column of sources.
func (r *sources) findTexts() {
	if r.typ != "energy" || r.heading("source") {
		return
	}
	for at, head := range r.heads {
		if r.free(at) && sourceTextHeads.Has(plain(head)) || at == r.typeAt.index() || r.columns[at].Name == "description" {
			r.at = append(r.at, at)
			r.claim(placeAt(at), "", mayTell)
		}
	}
}

// named sets the source of a row that one of its texts names, if they name no other one.
func (r *sources) named(row *row) *apperr.Detail {
	if len(r.at) == 0 || row.has("source") {
		return nil
	}
	source, by := "", 0
	for _, at := range r.at {
		switch named := sourceNamed(Unguard(oneCell(row.cells, at))); {
		case named == "" || named == source:
		case source != "":
			return nil
		default:
			source, by = named, at
		}
	}
	if source != "" {
		row.put("source", source)
		r.use(by)
	}
	return nil
}

// besideSources are words beside the name of a source of energy that change nothing: Kraftstoff, supply, bulk.
const besideSources wordlist.List = "besideSources"

// behindSources are words behind which a text says what the energy was for.
const behindSources wordlist.List = "behindSources"

var inBrackets = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`)

// sourceNamed returns the source of energy that a text names; empty if it names none, or says more than that: Diesel Kraftstoff EN590
// and Erdgas für die Halle are sources, and Diesel generator and Engine oil for diesel are none.
func sourceNamed(text string) string {
	if text == "" || len(text) > longestMark {
		return ""
	}
	values := columnOf("energy", "source").values
	if source := values[key(text)]; source != "" {
		return source
	}
	for _, bracket := range inBrackets.FindAllString(text, -1) {
		if sourceNamed(strings.Trim(bracket, "()[]")) != "" {
			return "" // Flüssiggas (Propan)
		}
	}
	var words []string
	for word := range strings.FieldsSeq(strings.ToLower(inBrackets.ReplaceAllString(text, " "))) {
		word = strings.Trim(word, ".,;:-–/")
		if behindSources.Has(word) && len(words) > 0 {
			break
		}
		if word != "" && !besideSources.Has(word) && (!strings.ContainsAny(word, "0123456789") || values[key(word)] != "") {
			words = append(words, word)
		}
	}
	if source := values[key(strings.Join(words, ""))]; source != "" {
		return source
	}
	source := ""
	for _, word := range words {
		named := values[key(word)]
		if named == "" || source != "" && named != source {
			return ""
		}
		source = named
	}
	return source
}
