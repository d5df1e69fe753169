package footprint_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// travelContext is an event in Brighton.
func travelContext(t *testing.T, place string) footprint.EventContext {
	t.Helper()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-13", Attendees: 100, RadiativeForcing: true,
		GWP: "published", FactorSet: "desnz-2026", Engine: footprint.NewestEngine}
	if place != "" {
		venue, _, detail := footprint.ResolveVenue(place, "GB")
		if detail != nil {
			t.Fatal(detail)
		}
		ev.Place = venue
	}
	return ev
}

func decodeTravel(t *testing.T, typ, body string, ev footprint.EventContext) footprint.Decoded {
	t.Helper()
	d, err := footprint.Decode(typ, []byte(body), ev)
	if err != nil {
		if e, ok := errors.AsType[*apperr.Error](err); ok {
			t.Fatalf("%s %s: %+v", typ, body, e.Details)
		}
		t.Fatal(err)
	}
	return d
}

// byHand adds up the equivalent individual records.
func byHand(t *testing.T, ev footprint.EventContext, records ...[2]string) footprint.Mass {
	t.Helper()
	var sum footprint.Mass
	for _, r := range records {
		d := decodeTravel(t, r[0], r[1], ev)
		one := total.Of(&d.Evaluation)
		sum = sum.Add(one.Total())
	}
	return sum
}

// TestAttendeeTravelEqualsRecordsByHand enters the same journeys as flights and ground transport: the figures are
// equal to the milligram, with known modes, with a survey, with a published table and with towns of a country.
func TestAttendeeTravelEqualsRecordsByHand(t *testing.T) {
	t.Parallel()
	ev := travelContext(t, "Brighton, GB")
	ground, fly := "ground-transport", "flights"
	access := func(town, airport, mode, people string) [2]string {
		return [2]string{ground, `{"mode":"` + mode + `","from":"` + town + `","to":"` + airport + `","passengers":` + people + `,"roundTrip":true}`}
	}
	for name, c := range map[string]struct {
		body   string
		byHand [][2]string
	}{
		"known modes": {
			`{"origins":[{"place":"Manchester","people":12,"mode":"rail"},{"place":"Berlin","country":"DE","people":3,"mode":"plane"},{"place":"London","people":4,"mode":"car","roundTrip":false}]}`,
			[][2]string{
				{ground, `{"mode":"rail","from":"Manchester, GB","to":"Brighton, GB","passengers":12,"roundTrip":true}`},
				{fly, `{"from":"BER","to":"LGW","passengers":3,"roundTrip":true}`},
				// Of 3 people, 2.25, 0.5001 and 0.2499 travel by car, rail and coach: 2, 1 and 0.
				access("Berlin, DE", "BER", "car", "2"), access("Berlin, DE", "BER", "rail", "1"),
				access("Brighton, GB", "LGW", "car", "2"), access("Brighton, GB", "LGW", "rail", "1"),
				{ground, `{"mode":"car","from":"London, GB","to":"Brighton, GB","passengers":4}`},
			},
		},
		"a survey of the event": {
			// 7 people by 3:2: 4.2 and 2.8, so 4 and 3.
			`{"modeSurvey":[{"mode":"rail","people":3},{"mode":"car","people":2}],"origins":[{"place":"Leeds","people":7}]}`,
			[][2]string{
				{ground, `{"mode":"rail","from":"Leeds, GB","to":"Brighton, GB","passengers":4,"roundTrip":true}`},
				{ground, `{"mode":"car","from":"Leeds, GB","to":"Brighton, GB","passengers":3,"roundTrip":true}`},
			},
		},
		"a published table": {
			// 10 people by .76 and .13 of .89: 8.54 and 1.46, so 9 and 1.
			`{"to":"Berlin, DE","origins":[{"place":"Hamburg","country":"DE","people":10}]}`,
			[][2]string{
				{ground, `{"mode":"car","from":"Hamburg, DE","to":"Berlin, DE","passengers":9,"roundTrip":true}`},
				{ground, `{"mode":"rail","from":"Hamburg, DE","to":"Berlin, DE","passengers":1,"roundTrip":true}`},
			},
		},
		"rows of one origin are one": {
			`{"origins":[{"place":"Leeds","mode":"rail"},{"place":"LEEDS","mode":"train","people":2},{"place":"Bristol","people":1,"mode":"coach"},{"place":"leeds","mode":"rail"}]}`,
			[][2]string{
				{ground, `{"mode":"rail","from":"Leeds, GB","to":"Brighton, GB","passengers":4,"roundTrip":true}`},
				{ground, `{"mode":"coach","from":"Bristol, GB","to":"Brighton, GB","passengers":1,"roundTrip":true}`},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := decodeTravel(t, footprint.AttendeeTravel, c.body, ev)
			of := total.Of(&d.Evaluation)
			if got, want := of.Total(), byHand(t, ev, c.byHand...); got != want {
				for _, l := range d.Evaluation.Lines {
					t.Logf("%+v: %s × %s = %s", *l.Leg, l.Quantity, l.FactorID, l.Mass.Kilograms())
				}
				t.Errorf("the legs come to %s, the same records by hand to %s", got.Kilograms(), want.Kilograms())
			}
			again := decodeTravel(t, footprint.AttendeeTravel, string(d.Fields), ev)
			if string(again.Fields) != string(d.Fields) {
				t.Errorf("decoding again changes\n%s to\n%s", d.Fields, again.Fields)
			}
			stored, err := footprint.Evaluate(footprint.AttendeeTravel, d.Fields, ev)
			if other := total.Of(&stored); err != nil || other.Total() != of.Total() {
				t.Errorf("the stored fields come to %s, %v", other.Total().Kilograms(), err)
			}
		})
	}
}

// TestAttendeeTravelOfACountry shares people among towns by their weights.
func TestAttendeeTravelOfACountry(t *testing.T) {
	t.Parallel()
	d := decodeTravel(t, footprint.AttendeeTravel, `{"to":"Brighton, GB","origins":[{"country":"AF","people":10,"mode":"plane"}]}`, travelContext(t, ""))
	var f struct {
		Origins []struct {
			At []struct {
				Name   string
				People int64
			}
		}
	}
	if err := json.Unmarshal(d.Fields, &f); err != nil {
		t.Fatal(err)
	}
	// Weights .6364, .0943, .1823 and .087 of 10: 6.364, .943, 1.823 and .87.
	var got []int64
	for _, at := range f.Origins[0].At {
		got = append(got, at.People)
	}
	if !slices.Equal(got, []int64{6, 1, 2, 1}) {
		t.Errorf("towns get %v", got)
	}
}

// TestAttendeeTravelScaledUpTwice refuses a survey beside people without a place: the figure would be of the people in
// the rows alone, and the rest of the population would be missing without a word.
func TestAttendeeTravelScaledUpTwice(t *testing.T) {
	t.Parallel()
	const survey = `"respondents":10,"population":1000,`
	rows := func(more string) []byte {
		return []byte(`{"to":"Brighton, GB",` + survey + `"origins":[{"place":"Leeds","country":"GB","people":9,"mode":"rail"}` + more + `]}`)
	}
	ev := travelContext(t, "")
	if _, err := footprint.Decode(footprint.AttendeeTravel, rows(""), ev); err != nil {
		t.Fatalf("a survey: %v", err)
	}
	_, err := footprint.Decode(footprint.AttendeeTravel, rows(`,{"people":1}`), ev)
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(e.Details) != 1 || e.Details[0].Field != "respondents" || e.Details[0].Code != "NOT_ALLOWED" {
		t.Fatalf("a survey and people without a place: %v, want one fault of respondents", err)
	}
}

// TestAttendeeTravelWithoutOrigin counts people without origin as the mean of the
// others.
func TestAttendeeTravelWithoutOrigin(t *testing.T) {
	t.Parallel()
	ev := travelContext(t, "Brighton, GB")
	known := decodeTravel(t, footprint.AttendeeTravel, `{"origins":[{"place":"Leeds","people":8,"mode":"rail"}]}`, ev)
	all := decodeTravel(t, footprint.AttendeeTravel, `{"origins":[{"place":"Leeds","people":8,"mode":"rail"},{"people":2}]}`, ev)
	a, b := total.PreviewOf(&known.Evaluation, ""), total.PreviewOf(&all.Evaluation, "")
	ratio := new(big.Rat).SetFrac(b.KgCO2e.Big(), a.KgCO2e.Big())
	if off := ratio.Sub(ratio, big.NewRat(10, 8)); off.Abs(off).Cmp(big.NewRat(1, 1_000_000)) > 0 {
		t.Errorf("10 people of whom 8 have an origin count %s, the 8 alone %s", b.KgCO2e.Kilograms(), a.KgCO2e.Kilograms())
	}
	if !wider(b, a) {
		t.Errorf("people without origin do not widen the interval: %s-%s, %s-%s", b.Low.Kilograms(), b.High.Kilograms(), a.Low.Kilograms(), a.High.Kilograms())
	}
}

// wider reports whether the interval of a is at least as wide as that of b, high
// over low.
func wider(a, b total.Preview) bool {
	x := new(big.Int).Mul(a.High.Big(), b.Low.Big())
	return x.Cmp(new(big.Int).Mul(b.High.Big(), a.Low.Big())) >= 0
}

// TestCoarserAttendeeTravelIsWider verifies that less precise rows have no narrower intervals.
func TestCoarserAttendeeTravelIsWider(t *testing.T) {
	t.Parallel()
	ev := travelContext(t, "Brighton, GB")
	of := func(row string) total.Preview {
		d := decodeTravel(t, footprint.AttendeeTravel, `{"origins":[`+row+`]}`, ev)
		return total.PreviewOf(&d.Evaluation, "")
	}
	for _, town := range []string{`"place":"Leeds"`, `"place":"Berlin","country":"DE"`, `"place":"Paris","country":"FR"`, `"postcode":"BS1 4DJ"`} {
		for _, mode := range []string{"rail", "car", "plane", "coach"} {
			if mode == "plane" && strings.Contains(town, "BS1") {
				continue
			}
			fine := of(`{` + town + `,"people":60,"mode":"` + mode + `"}`)
			if coarse := of(`{` + town + `,"people":60}`); !wider(coarse, fine) {
				t.Errorf("%s: without %s the interval is narrower: %s-%s, %s-%s", town, mode, coarse.Low.Kilograms(), coarse.High.Kilograms(), fine.Low.Kilograms(), fine.High.Kilograms())
			}
		}
	}
	if fine, coarse := of(`{"place":"Berlin","country":"DE","people":60,"mode":"rail"}`), of(`{"country":"DE","people":60,"mode":"rail"}`); !wider(coarse, fine) {
		t.Error("a country's interval is narrower than that of its town")
	}
}

// TestAttendeeTravelNarrows evaluates again with the field of the notice.
func TestAttendeeTravelNarrows(t *testing.T) {
	t.Parallel()
	d := decodeTravel(t, footprint.AttendeeTravel, `{"origins":[{"place":"Leeds","people":60}]}`, travelContext(t, "Brighton, GB"))
	p := total.PreviewOf(&d.Evaluation, "")
	var n *footprint.Narrowing
	for _, notice := range p.Notices {
		if notice.WouldNarrowTo != nil {
			n = notice.WouldNarrowTo
		}
	}
	if n == nil || n.Field != "origins.mode" || n.Low.Cmp(p.Low) <= 0 || n.High.Cmp(p.High) >= 0 {
		t.Errorf("narrows to %+v, from %s-%s", n, p.Low.Kilograms(), p.High.Kilograms())
	}
}

// TestAttendeeTravelKeepsNoNames asserts that only counts by origin are stored.
func TestAttendeeTravelKeepsNoNames(t *testing.T) {
	t.Parallel()
	d := decodeTravel(t, footprint.AttendeeTravel, `{"origins":[{"place":"Leeds","people":1,"mode":"rail","name":"Ada Lovelace","email":"ada@example.org"}]}`, travelContext(t, "Brighton, GB"))
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Ada", "Lovelace", "ada@"} {
		if strings.Contains(string(text), word) || strings.Contains(string(d.Fields), word) {
			t.Errorf("%s is in %s", word, text)
		}
	}
}

// TestAttendeeTravelFaults verifies that faults name the row and valid values.
func TestAttendeeTravelFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"origins":[]}`:             "origins REQUIRED",
		`{"origins":[{"people":3}]}`: "origins REQUIRED",
		`{"origins":[{"place":"Leeds"},{"place":"Newcastle, Springfield"}]}`:         "origins[1].place UNKNOWN_PLACE",
		`{"origins":[{"place":"Leeds"},{"place":"Springfield","country":"US"}]}`:     "origins[1].place AMBIGUOUS_PLACE",
		`{"origins":[{"place":"Leeds","code":"LBA"}]}`:                               "origins[0].place NOT_ALLOWED",
		`{"origins":[{"place":"Leeds","mode":"teleport"}]}`:                          "origins[0].mode NOT_ALLOWED",
		`{"origins":[{"code":"QQQ"}]}`:                                               "origins[0].code UNKNOWN_CODE",
		`{"origins":[{"place":"Leeds","people":0}]}`:                                 "origins[0].people OUT_OF_RANGE",
		`{"origins":[{"place":"Leeds"},7,{"code":"QQQ"}]}`:                           "origins[1] WRONG_TYPE, origins[2].code UNKNOWN_CODE",
		`{"origins":[7,{"place":"Leeds","mode":"teleport"}]}`:                        "origins[0] WRONG_TYPE, origins[1].mode NOT_ALLOWED",
		`{"origins":[7,{"place":"Leeds","code":"LBA"}]}`:                             "origins[0] WRONG_TYPE, origins[1].place NOT_ALLOWED",
		`{"modeSurvey":[7,{"mode":"teleport","people":1}],"origins":[{"people":1}]}`: "modeSurvey[0] WRONG_TYPE, modeSurvey[1].mode NOT_ALLOWED",
		`{"to":"Springfield, US","origins":[{"place":"Leeds"}]}`:                     "to AMBIGUOUS_PLACE",
		`{"modeSurvey":[{"mode":"rail"}],"origins":[{"place":"Leeds"}]}`:             "modeSurvey[0].people REQUIRED",
	} {
		_, err := footprint.Decode(footprint.AttendeeTravel, []byte(body), travelContext(t, "Brighton, GB"))
		var e *apperr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want %s", body, err, want)
			continue
		}
		var got []string
		for _, d := range e.Details {
			got = append(got, d.Field+" "+d.Code)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %+v, want %s", body, e.Details, want)
		}
	}
	_, err := footprint.Decode(footprint.AttendeeTravel, []byte(`{"origins":[{"place":"Leeds"}]}`), travelContext(t, ""))
	var e *apperr.Error
	if !errors.As(err, &e) || e.Details[0].Field != "to" {
		t.Errorf("without a place: %v", err)
	}
}

// TestAttendeeTravelElsewhere moves the venue: only the distance may matter.
func TestAttendeeTravelElsewhere(t *testing.T) {
	t.Parallel()
	body := `{"origins":[{"place":"Leeds","people":10,"mode":"rail"}]}`
	ev := travelContext(t, "Brighton, GB")
	d := decodeTravel(t, footprint.AttendeeTravel, body, ev)
	moved, err := footprint.Evaluate(footprint.AttendeeTravel, d.Fields, travelContext(t, "London, GB"))
	if err != nil {
		t.Fatal(err)
	}
	want := byHand(t, ev, [2]string{"ground-transport", `{"mode":"rail","from":"Leeds, GB","to":"London, GB","passengers":10,"roundTrip":true}`})
	if of := total.Of(&moved); of.Total() != want {
		t.Errorf("in London it is %s, want %s", of.Total().Kilograms(), want.Kilograms())
	}
}

// TestAttendeeTravelIsAJourneyOfAttendees: the total without the journeys of attendees excludes them, however they
// were entered, from engine 2.2.0 on.
func TestAttendeeTravelIsAJourneyOfAttendees(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		ev := london
		ev.Engine = footprint.Pin(engine)
		stay := contributed(t, "accommodation", `{"nights":1,"rooms":1,"group":"attendees"}`, ev)
		staff := contributed(t, "attendee-travel", `{"to":"Brighton, GB","group":"staff","origins":[{"place":"Leeds","mode":"rail","people":3}]}`, ev)
		theirs := contributed(t, "attendee-travel", `{"to":"Brighton, GB","origins":[{"place":"Leeds","mode":"rail","people":7}]}`, ev)
		flight := contributed(t, "flights", `{"from":"LHR","to":"CDG","passengers":1,"group":"attendees"}`, ev)
		want := stay.Total().Add(staff.Total())
		if engine < footprint.Engine4 {
			want = want.Add(theirs.Total())
		}
		if got := stay.Add(staff).Add(theirs).Add(flight).Breakdown(ev).ExcludingAttendeeTravelKg; got != want || theirs.Total().Sign() <= 0 {
			t.Errorf("engine %s: %s kg without the journeys of attendees, want %s", engine, got.Kilograms(), want.Kilograms())
		}
	}
}

// An address has a town and a postcode: the postcode counts if its area is known and near the town, else the town.
func TestOriginsWithTownAndPostcode(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`{"place":"Berlin","postcode":"10115"}`:                `"postcode":"10115"`,
		`{"place":"Wien","postcode":"1010","country":"AT"}`:    `"postcode":"1010"`,
		`{"place":"Berlin","postcode":"00000"}`:                `"place":"Berlin"`,
		`{"place":"Nowhere at all","postcode":"10115"}`:        `"postcode":"10115"`,
		`{"place":"Boston, Massachusetts","postcode":"10115"}`: `"place":"Boston, Massachusetts"`,
		`{"place":"Nowhere at all","postcode":"00000"}`:        "UNKNOWN_PLACE",
		`{"place":"Berlin","code":"BER"}`:                      "NOT_ALLOWED",
		`{"place":"Berlin","postcode":"10115","code":"BER"}`:   "NOT_ALLOWED",
	} {
		decoded, err := footprint.Decode("attendee-travel", []byte(`{"to":"Munich","origins":[`+row+`]}`), footprint.EventContext{Country: "DE", StartDate: "2026-06-01"})
		got := string(decoded.Fields)
		if e, ok := errors.AsType[*apperr.Error](err); ok {
			got = e.Details[0].Code
		}
		if !strings.Contains(got, want) || err == nil && strings.Contains(got, `"place"`) && strings.Contains(got, `"postcode"`) {
			t.Errorf("%s: %s (%v), want %s", row, got, err, want)
		}
	}
}
