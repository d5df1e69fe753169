package report_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// bare is what the document may have outside of texts: it is the same in each language.
const bare = "kg CO₂e"

// textsOfCode returns the literals that the package looks up. It fails the test where the document has
// words that are none.
func textsOfCode(t *testing.T) (texts []string) {
	t.Helper()
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0) //nolint:staticcheck // no build tags here
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`\p{Lu}\pL`)
	for name, file := range packages["report"].Files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		lookedUp := map[ast.Expr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				selector, ok := n.Fun.(*ast.SelectorExpr)
				if ok && slices.Contains([]string{"text", "say", "elements"}, selector.Sel.Name) && len(n.Args) > 0 {
					lookedUp[n.Args[0]] = true
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				switch {
				case err != nil || n.Kind != token.STRING:
				case lookedUp[n]:
					texts = append(texts, text)
				case name == "document.go" && word.MatchString(text) && text != bare:
					t.Errorf("the document has %q, which is no text of a catalogue", text)
				}
			}
			return true
		})
	}
	if len(texts) < 150 {
		t.Fatalf("%d texts in the code", len(texts))
	}
	return texts
}

// variants are reports that have each part of the page, and each of its other forms.
func variants(t *testing.T) []report.Data {
	t.Helper()
	full, little, plain := rich(t), rich(t), rich(t)
	little.SignOff, little.Event.Boundary, little.NotCounted, little.Signature, little.Causes, little.Findings = nil, nil, nil, nil, nil, nil
	little.Context.GWP, little.Context.RadiativeForcing, little.Context.EndDate, little.Context.Attendees = "published", false, "2027-07-01", 0
	plain.Event.Boundary = []byte(`{"included":["flights"]}`)
	plain.NotCounted.Waiting, plain.NotCounted.ChangesRequested, plain.NotCounted.Rejected, plain.NotCounted.Unsubmitted = 0, 0, 0, 0
	ev := footprint.EventContext{Country: "DE", StartDate: "2026-01-31", GWP: "published", FactorSet: "desnz-2026"}
	single := data(t, ev, `waste {"treatment":"landfill","weightKg":1}`)
	single.Event.Boundary = []byte(`{"excluded":[{"type":"digital","reason":"gering"}]}`)
	all := []report.Data{full, little, plain, single}
	for _, n := range []int{report.AnnexRecords + 1, report.AnnexRecords + 5} {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf(`waste {"treatment":"landfill","weightKg":%d,"dataQuality":"calculated"}`, i+1))
		}
		all = append(all, data(t, ev, lines...))
	}
	return all
}

// TestEveryTextIsTranslated: each text of the code and of what the code names has one in each language, and a catalogue has no other texts.
func TestEveryTextIsTranslated(t *testing.T) {
	t.Parallel()
	wanted := map[string]bool{}
	for _, text := range textsOfCode(t) {
		wanted[text] = true
	}
	for m := time.January; m <= time.December; m++ {
		wanted[m.String()] = true
	}
	for _, role := range identity.RoleNames() {
		wanted[role] = true
	}
	for _, stage := range []string{footprint.Direct, footprint.Upstream, footprint.Combined, record.Offset, record.Removal,
		"door to door", "to the airport", "flight", "from the airport"} { // the parts of a leg
		wanted[stage] = true
	}
	for _, field := range record.EventFields() {
		wanted[field] = true
	}
	var cells []total.Cell
	one := footprint.MassOf(1)
	for _, category := range append(footprint.StatedCategories(), "3 Fuel- and energy-related activities", "8 Upstream leased assets") {
		cells = append(cells, total.Cell{Type: "custom", Scope: 3, Category: category, Mass: one})
	}
	cells = append(cells, total.Cell{Type: "energy", Scope: 1, Mass: one}, total.Cell{Type: "energy", Scope: 2, Mass: one})
	for _, tag := range footprint.Languages()[1:] {
		texts, err := report.Texts(tag)
		if err != nil {
			t.Fatal(err)
		}
		used := maps.Clone(wanted)
		lookedUp := func(text string, found bool) {
			if used[text] = true; !found {
				t.Errorf("%s: there is no text for %q", tag, text)
			}
		}
		for text := range wanted {
			if texts[text] == "" {
				t.Errorf("%s: there is no text for %q", tag, text)
			}
		}
		for _, d := range variants(t) {
			if _, err := report.PageTelling(d, tag, lookedUp); err != nil {
				t.Fatal(err)
			}
		}
		if err := report.TablesTelling(tables.Of(cells, nil), tag, lookedUp); err != nil {
			t.Fatal(err)
		}
		for english, own := range texts {
			if !used[english] {
				t.Errorf("%s: nothing says %q", tag, english)
			}
			if !slices.Equal(verbs(english), verbs(own)) {
				t.Errorf("%s: %q has other verbs than %q", tag, own, english)
			}
		}
	}
}

// verbs returns the verbs of a format by the arguments that they are of.
func verbs(format string) []string {
	all := regexp.MustCompile(`%(?:\[\d\])?[sd]`).FindAllString(format, -1)
	if strings.Contains(format, "%[") {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

var (
	// foreign is what is in English on each page, and what is the same on all of them.
	foreign = regexp.MustCompile(`(?s)<style>.*?</style>|<code>.*?</code>|<span lang="en">.*?</span>|<span class="by">.*?</span>`)
	label   = regexp.MustCompile(`aria-label="([^"]*)"`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	letters = regexp.MustCompile(`\pL{2}`)
)

// seen returns what a reader of a page reads and hears of it, without what is quoted.
func seen(page string) (texts []string) {
	page = foreign.ReplaceAllString(page, "<>")
	for _, m := range label.FindAllStringSubmatch(page, -1) {
		texts = append(texts, html.UnescapeString(m[1]))
	}
	for _, text := range tag.Split(page, -1) {
		if text = strings.TrimSpace(html.UnescapeString(text)); letters.MatchString(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// stated is what people have written into the event of rich, and names.
var stated = regexp.MustCompile(`^(Sommertagung|UK Government GHG conversion factors 2026 \(DESNZ\)|Event|Digital(: gering)?|Aufforstung|Pflanzenkohle|Gold Standard|(\S+ ?)?[\d.,]* ?kg( CO₂e)?|Scope \d \d.*)$`)

// TestPagesOfAnotherLanguageHaveNoEnglish: no text of the English page is on one of another
// language, except for what is marked as English, and what is the same in both.
func TestPagesOfAnotherLanguageHaveNoEnglish(t *testing.T) {
	t.Parallel()
	for _, tag := range footprint.Languages()[1:] {
		texts, err := report.Texts(tag)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range variants(t) {
			english := map[string]bool{}
			for _, text := range seen(page(t, d)) {
				english[text] = true
			}
			for _, text := range seen(pageIn(t, tag, d)) {
				if english[text] && texts[text] != text && !stated.MatchString(text) {
					t.Errorf("%s: the page has the English text %q", tag, text)
				}
			}
		}
	}
}

// TestGermanPage: names, numbers, days and countries are written as people write them in German.
func TestGermanPage(t *testing.T) {
	t.Parallel()
	text := pageIn(t, "de", rich(t))
	for _, want := range []string{
		`<html lang="de">`, "CO₂-Fußabdruck: Sommertagung", "10. bis 12. Juni 2027, Deutschland", "<strong>376,6 Tonnen</strong>", "0,4\u00a0%", "&lt;\u00a00,1\u00a0%",
		"(einbezogen: Flüge, Bodenverkehr und Abfall; ausgenommen: Digital)", "1.234 abgelehnt und 3 nicht eingereicht", "Morgan Lee (Manager), 1. Juli 2027, 10:00 Uhr UTC, als Ausgabe 3",
		"<td>Scope 3.6 Geschäftsreisen</td>", "<td>Scope 3.8 Vorgelagerte geleaste Sachanlagen</td>", `<td class="n">12.345,678</td>`, "<td>2. Januar 2027</td>",
		"Bier, Flaschenwasser", "LHR → JFK, Vortragende, 9. Juni 2027", "Australien (NSW), Deutschland, Neuseeland", "je Personenkilometer</span>",
		"Region: Vereinigtes Königreich. Jahr: 2026. Aktuell bis: 31. Dezember 2026.", `<span lang="en">Bus, average local.</span>`,
		`<p class="formula">18.000 kWh × 0,329 kg je kWh = 5.922,000000 kg `, "Freigegeben, Änderungen an Einträgen: 3, durch Morgan Lee (Manager) am 20. Juni 2027, 08:05 Uhr UTC",
		"Britische Faktoren stehen für Orte außerhalb des Vereinigten Königreichs. (10 Einträge, 16.962 kg)",
		"Diese Seite ist eine Übersetzung. Die Dokumente der unterschriebenen Ausgabe 3 sind die englische Seite und die JSON-Fassung.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestSentencesOfFindings: what the English sentence of a finding is about stands beside the text of its code.
func TestSentencesOfFindings(t *testing.T) {
	t.Parallel()
	d := rich(t)
	for message, want := range map[string]string{
		"2 flight records look the same: LHR to AMS on 2024-09-10, 400 passengers, same class and group.":                                                   "(LHR – AMS, 10. September 2024, 2 Einträge)",
		"Flights are recorded but no ground transport. Add and approve at least one ground-transport or attendee-travel record, or exclude the type in the": "(Bodenverkehr, Anreise, 2 Einträge)",
		"The event's boundary includes freight, but there is no approved record of this type, so the total does not include it.":                            "(Fracht, 2 Einträge)",
		"The flights record (4611.250000 kg) is at least 5 % of the total but has no date, so it cannot be checked against others.":                         "(Flüge, 4.611 kg, ohne Datum, 2 Einträge)",
		"The freight record (12.000000 kg) is at least 5 % of the total but has no date and no group, so it cannot be checked against others.":              "(Fracht, 12 kg, ohne Datum, ohne Gruppe, 2 Einträge)",
		"12 water records of 2026-09-15 are identical except for texts and evidence. Check whether the same record was entered more than once.":             "(Wasser, 15. September 2026, 2 Einträge)",
		"3 waste records without a date are identical, including their descriptions. Check whether the same record was entered more than once.":             "(Abfall, 2 Einträge)",
		`2 records of the site "Hall \"A\" in Leeds" count the same kind of energy.`:                                                                        "(Hall &#34;A&#34; in Leeds, 2 Einträge)",
		"The waste record (12.000000 kg) is at least 5 % of the total but has no group, so it cannot be checked against others.":                            "(Abfall, 12 kg, ohne Gruppe, 2 Einträge)",
		"The catering record (900000.000000 kg) is out of range for an event with 12 attendee-days (up to 1,000 kg each).":                                  "(Verpflegung, 900.000 kg, 2 Einträge)",
	} {
		d.Findings = d.Findings[:1]
		d.Findings[0].Message, d.Findings[0].Records = message, 2
		if text := pageIn(t, "de", d); !strings.Contains(text, want) {
			t.Errorf("%s: the page lacks %q", message, want)
		}
	}
}

// TestSentencesOfNotices: so it is with notices.
func TestSentencesOfNotices(t *testing.T) {
	t.Parallel()
	d := rich(t)
	for message, want := range map[string]string{
		"UK factors stand in for places outside the UK. It is about 3 records of 12.300000 kg together.":                                                "(3 Einträge, 12 kg)",
		"The event is of 2028; the factors are those of 2024. The event can adopt desnz-2026, which is newer. The rows of the pack a-v1 are not in it.": "(UK Government GHG conversion factors 2026 (DESNZ))",
		"11079.250000 kg are of records that name no group of people.":                                                                                  "(11.079 kg)",
	} {
		d.Result.Notices = []footprint.Notice{{Code: footprint.NoticeProxy, Message: message}}
		if text := pageIn(t, "de", d); !strings.Contains(text, want) {
			t.Errorf("%s: the page lacks %q", message, want)
		}
	}
}

// TestTypesOfABoundaryAreNamed: an event may leave out what there is no type for, in any words.
func TestTypesOfABoundaryAreNamed(t *testing.T) {
	t.Parallel()
	d := rich(t)
	d.Event.Boundary = []byte(`{"excluded":[{"type":"übersetzung_vor_ort","reason":"gering"},{"type":"ground_transport"}]}`)
	if text := page(t, d); !strings.Contains(text, "<li>Übersetzung vor ort: gering</li><li>Ground transport</li>") {
		t.Error("the English page lacks what is left out")
	}
	if text := pageIn(t, "de", d); !strings.Contains(text, "<li>Übersetzung vor ort: gering</li><li>Bodenverkehr</li>") {
		t.Error("the German page lacks what is left out")
	}
}

// TestUnknownMessagesAreQuoted: what has no text by its code stands in the words of the server.
func TestUnknownMessagesAreQuoted(t *testing.T) {
	t.Parallel()
	d := rich(t)
	d.Findings[0].Code, d.Findings[0].Message = "NEW_CODE", "It is about 2 records of 12.000000 kg & more."
	if text := pageIn(t, "de", d); !strings.Contains(text, `<span lang="en">This concerns 2 records of 12 kg &amp; more.</span>`) {
		t.Error("the page lacks what the server says")
	}
}

func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	if err := report.HTML(nil, report.Data{}, "xx"); err == nil || !strings.Contains(err.Error(), `"xx"`) {
		t.Error(err)
	}
}

// TestPlacesHaveNames: regions of factors are written by their names, in each language.
func TestPlacesHaveNames(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]map[string]string{
		"en": {"GB": "United Kingdom", "US-CA": "United States (CA)", "EUROPE": "Europe", "GLOBAL": "worldwide"},
		"de": {"GB": "Vereinigtes Königreich", "US-CA": "Vereinigte Staaten (CA)", "EUROPE": "Europa", "EU-REST": "übriges Europa"},
	} {
		for code, name := range want {
			if got, err := report.Country(tag, code); err != nil || got != name {
				t.Errorf("%s: %s is %q, %v; want %q", tag, code, got, err, name)
			}
		}
	}
	organizations := []string{"ASEAN", "G20", "G7", "OECD"}
	for _, set := range factors.Sets() {
		for _, f := range set.Factors() {
			if strings.Trim(f.Region, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || f.Region == "" || slices.Contains(organizations, f.Region) {
				continue
			}
			for _, tag := range footprint.Languages() {
				if name, err := report.Country(tag, f.Region); err != nil || name == f.Region {
					t.Errorf("%s: %s has no name in %s: %v", f.ID, f.Region, tag, err)
				}
			}
		}
	}
}
