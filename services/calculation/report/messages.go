package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/messages"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// The text of a finding or a notice in another language is chosen by its code. Its numbers and
// masses are only in its English sentence, and are extracted from there, as in the console.
var (
	aboutRecords   = regexp.MustCompile(`\babout (\d+) records? of (\d+(?:\.\d+)?) kg`)
	isAboutRecords = regexp.MustCompile(`\bIt is about (\d+ records?\b)`)
	leadingMass    = regexp.MustCompile(`^(\d+\.\d+) kg\b`)
	namedTypes     = regexp.MustCompile(`approve at least one (.+?) record,|boundary includes ([a-z-]+),|the type ([a-z-]+) (?:is |are )?counted`)
	adoptableSet   = regexp.MustCompile(`\bcan adopt ([\w-]+),`)
	journey        = regexp.MustCompile(`\b([A-Z]{3,4}) to ([A-Z]{3,4})\b`)
	onDay          = regexp.MustCompile(`\bon (\d{4}-\d\d-\d\d)\b`)
	identical      = regexp.MustCompile(`^\d+ ([a-z-]+) records (?:of (\d{4}-\d\d-\d\d) are|without a date are) identical\b`)
	siteNamed      = regexp.MustCompile(`\bof the site ("(?:[^"\\]|\\.)*")`)
	weighedType    = regexp.MustCompile(`^The ([a-z-]+) record \((\d+\.\d+) kg\)(?: .* has (no date)?(?: and )?(no group)?,)?`)
)

// exactKilograms is a mass to the milligram, as notices and findings have it.
var exactKilograms = regexp.MustCompile(`\b(\d{1,9})\.(\d{6}) kg\b`)

// counted are numbers of things in the sentences of notices.
var counted = regexp.MustCompile(`\b\d+ (?:more )?(?:records|people|guests|rooms|containers|findings)\b|\b\d+ of \d+ answered\b`)

// wholeNumber is one of them.
var wholeNumber = regexp.MustCompile(`\d{4,}`)

// setIDs are the ids of factor sets, and of their rows, which setName leaves as they are.
var setIDs = regexp.MustCompile(`\b[a-z]\w*(?:[-.]\w+)*-\d{4}(?:[-.]\w+)*\b`)

// setName returns what was published under the id of a factor set that the process has met;
// another text is returned as it is.
func setName(id string) string {
	for _, set := range slices.Concat(factors.Sets(), factors.Added()) {
		if set.ID == id {
			return set.Title()
		}
	}
	return id
}

// legible returns an English sentence with its masses as kg writes them, and with the names of
// factor sets. The exact ones are in the JSON form.
func legible(message string) string {
	english := &language{tag: footprint.English}
	message = setIDs.ReplaceAllStringFunc(message, setName)
	// "It is about 2 records" reads like an estimate. The sentence itself is part of stored results.
	message = isAboutRecords.ReplaceAllString(message, "This concerns $1")
	message = counted.ReplaceAllStringFunc(message, func(found string) string {
		return wholeNumber.ReplaceAllStringFunc(found, explain.Grouped)
	})
	return exactKilograms.ReplaceAllStringFunc(message, func(found string) string {
		if m, ok := massOf(strings.TrimSuffix(found, " kg")); ok {
			return english.kg(m) + " kg"
		}
		return found
	})
}

// massOf reads a mass of a sentence, in kilograms to the milligram.
func massOf(kilograms string) (footprint.Mass, bool) {
	whole, rest, _ := strings.Cut(kilograms, ".")
	if len(rest) > 6 {
		return footprint.Mass{}, false
	}
	exact, err := strconv.ParseInt(whole+rest+strings.Repeat("0", 6-len(rest)), 10, 64)
	if err != nil || exact > 1e15 {
		return footprint.Mass{}, false
	}
	return footprint.MassOf(exact * 1000), true
}

// shownPerCode bounds the findings of one check on the page. Identical records, for one, come in hundreds of groups, and a
// page of one sentence again and again hides the other findings.
const shownPerCode = 5

// notListed matches the last finding of a list, which states how many are not listed.
var notListed = regexp.MustCompile(`^(\d+) more findings of the same kind`)

// findings returns what the findings say, and of each check with many how many others there are.
func (l *language) findings(all []findings.Finding) []said {
	of := map[string]int{}
	for _, f := range all {
		of[f.Code]++
	}
	out := make([]said, 0, len(all))
	shown, others, records := map[string]int{}, map[string]int64{}, map[string]int64{}
	for i, f := range all {
		last := i == len(all)-1 || all[i+1].Code != f.Code
		// One other finding takes no more space than the sentence that there is one.
		if shown[f.Code]++; of[f.Code] <= shownPerCode+1 || shown[f.Code] <= shownPerCode {
			out = append(out, said{f.Severity, l.finding(f)})
			continue
		}
		n := int64(1)
		if m := notListed.FindStringSubmatch(f.Message); m != nil {
			n, _ = strconv.ParseInt(m[1], 10, 64)
		}
		others[f.Code] += n
		records[f.Code] += int64(f.Records)
		if last {
			out = append(out, said{f.Severity, withFacts(l.text("%s more findings of this kind are not shown here.", l.count(others[f.Code])), []string{l.records(records[f.Code])})})
		}
	}
	return out
}

// finding returns what a finding says.
func (l *language) finding(f findings.Finding) phrase {
	own := messages.Finding(l.tag, f.Code)
	if own == "" {
		return l.untranslated(f.Message)
	}
	var facts []string
	if m := journey.FindStringSubmatch(f.Message); m != nil {
		facts = append(facts, m[1]+" – "+m[2])
	}
	if m := onDay.FindStringSubmatch(f.Message); m != nil {
		facts = append(facts, l.isoDate(m[1]))
	}
	if m := identical.FindStringSubmatch(f.Message); m != nil {
		facts = append(facts, l.typeName(m[1]))
		if m[2] != "" {
			facts = append(facts, l.isoDate(m[2]))
		}
	}
	if m := siteNamed.FindStringSubmatch(f.Message); m != nil {
		if site, err := strconv.Unquote(m[1]); err == nil {
			facts = append(facts, site)
		}
	}
	if m := namedTypes.FindStringSubmatch(f.Message); m != nil {
		for typ := range strings.SplitSeq(m[1]+m[2]+m[3], " or ") {
			facts = append(facts, l.typeName(typ))
		}
	}
	if m := weighedType.FindStringSubmatch(f.Message); m != nil {
		facts = append(facts, l.typeName(m[1]))
		if mass, ok := massOf(m[2]); ok {
			facts = append(facts, l.kg(mass)+" kg")
		}
		if m[3] != "" {
			facts = append(facts, l.text("no date"))
		}
		if m[4] != "" {
			facts = append(facts, l.text("no group"))
		}
	}
	return withFacts(own, append(facts, l.records(int64(f.Records))))
}

// notice returns what a notice says.
func (l *language) notice(n footprint.Notice) phrase {
	own := messages.Notice(l.tag, n.Code)
	if own == "" {
		return l.untranslated(n.Message)
	}
	var facts []string
	mass := ""
	if m := aboutRecords.FindStringSubmatch(n.Message); m != nil {
		if count, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			facts = append(facts, l.records(count))
		}
		mass = m[2]
	} else if m := leadingMass.FindStringSubmatch(n.Message); m != nil {
		mass = m[1]
	}
	if m, ok := massOf(mass); ok && mass != "" {
		facts = append(facts, l.kg(m)+" kg")
	}
	if m := adoptableSet.FindStringSubmatch(n.Message); m != nil {
		facts = append(facts, setName(m[1]))
	}
	return withFacts(own, facts)
}

// untranslated returns an English sentence on a page of another language.
func (l *language) untranslated(message string) phrase {
	if !l.english() {
		l.tell(message, false)
	}
	return l.quote(legible(message))
}

// records says of how many records something is; empty for none.
func (l *language) records(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return l.text("1 record")
	}
	return l.text("%s records", l.count(n))
}

func withFacts(sentence string, facts []string) phrase {
	facts = slices.DeleteFunc(facts, func(f string) bool { return f == "" })
	if len(facts) == 0 {
		return phrase{text: sentence}
	}
	return phrase{text: sentence + " (" + strings.Join(facts, ", ") + ")"}
}
