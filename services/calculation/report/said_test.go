package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestSharesOfOnePartAreNamed: a bar of a single part is not drawn, but what the whole is of is said.
func TestSharesOfOnePartAreNamed(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"},
		`waste {"treatment":"landfill","weightKg":1000}`))
	if !strings.Contains(text, `</i>Estimated 100.0%</li>`) || strings.Contains(text, `<svg class="stack"`) {
		t.Error("the page does not say how the only quantity was determined, or draws a bar of it")
	}
}

// TestNoticesOfARecordAreSaidOnce: each of its lines can have the same one.
func TestNoticesOfARecordAreSaidOnce(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"},
		`venue {"annualElectricityKWh":1200000,"annualGasKWh":450000,"spaceSharePercent":12.5,"days":3}`)
	for _, tag := range []string{"en", "de"} {
		text := pageIn(t, tag, d)
		_, annex, _ := strings.Cut(text, `<div class="record`)
		annex, _, _ = strings.Cut(annex, "</div>")
		said := regexp.MustCompile(`<p class="note">.*?</p>`).FindAllString(annex, -1)
		for i, s := range said {
			if slices.Contains(said[:i], s) {
				t.Errorf("%s: said twice: %s", tag, s)
			}
		}
		if len(said) < 2 {
			t.Errorf("%s: the record says %q", tag, said)
		}
	}
}

// TestDefaultsAreStated: what a record did not state is an assumption, and the page names it with its value.
func TestDefaultsAreStated(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", GWP: "published", FactorSet: "desnz-2026"}
	d := data(t, ev, `ground-transport {"mode":"car","distanceKm":10,"passengers":30}`,
		`attendee-travel {"to":"Brighton, GB","origins":[{"place":"Leeds, GB","people":7,"mode":"car"}]}`)
	for tag, wants := range map[string][]string{
		"en": {"Not stated, so assumed: Occupancy (1), Fuel (unknown), Size (average).", "Not stated, so assumed: Occupancy (1), Round trip (yes)."},
		"de": {"Nicht angegeben, daher angenommen: Besetzung (1), Kraftstoff (unbekannt), Größe (Durchschnitt).", "Nicht angegeben, daher angenommen: Besetzung (1), Hin und zurück (ja)."},
	} {
		text := pageIn(t, tag, d)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("the page in %s lacks %q: %v", tag, want, regexp.MustCompile(`(?:Not stated|Nicht angegeben), [^<]*`).FindAllString(text, -1))
			}
		}
	}
}

// TestTheCommandOfASignedPage: followed literally, the instructions of a signed page verify the signature too, and
// compare the page with the JSON version.
func TestTheCommandOfASignedPage(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`)
	if text := page(t, d); !strings.Contains(text, "<code>ecf verify report.json</code>") {
		t.Error("an unsigned page names a key")
	}
	d.Signature = &bundle.Signature{KeyID: "the-key"}
	text := page(t, d)
	for _, want := range []string{"<code>ecf verify --key the-key report.json</code>", "hash that the program prints", d.Hashes.Content} {
		if !strings.Contains(text, want) {
			t.Errorf("a signed page lacks %q", want)
		}
	}
}

// TestTextsThatWereNotSigned: the page has the title of today beside the signature, which is of another one.
func TestTextsThatWereNotSigned(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`)
	d.SignOff = &bundle.SignOff{Edition: 3, By: record.Actor{ID: "u", Name: "Morgan Lee", Role: identity.Manager}, At: "2026-06-12T10:00:00.000Z", Statement: "Complete"}
	const said = "The signed documents are those of edition 3."
	for _, c := range []struct {
		gate record.GateState
		last record.EventAction
		want bool
	}{{record.GateClosing, record.SignOffBegun, false}, {record.GateSigned, record.SignedOff, false}, {record.GateSigned, record.EventChanged, true}, {record.GateSigned, record.ChangeRejected, false}, {record.GateOpen, record.EventChanged, false}} {
		d.About.Gate.State, d.About.Last.Action = c.gate, c.last
		if got := strings.Contains(page(t, d), said); got != c.want {
			t.Errorf("%s, last %s: said %v", c.gate, c.last, got)
		}
	}
}
