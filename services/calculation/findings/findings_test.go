package findings_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// facts returns facts from "type {fields}" lines; the ids are r0, r1 …
func facts(lines ...string) []findings.Fact {
	var out []findings.Fact
	for i, line := range lines {
		typ, fields, _ := strings.Cut(line, " ")
		out = append(out, findings.FactOf(record.Counted{ID: record.ID(fmt.Sprint("r", i)), Type: typ, Fields: json.RawMessage(fields),
			Contribution: json.RawMessage(`{"records":1,"total":"1000000000"}`)}))
	}
	return out
}

// conference has two days, ten attendees and a total of 1,000 kg, of which each
// fact is one.
func conference() findings.Event {
	attendees := int64(10)
	return findings.EventOf(record.Event{StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: &attendees,
		Boundary: json.RawMessage(`{"included":[],"excluded":[{"type":"digital","reason":"small"}]}`)}, footprint.MassOf(1_000_000_000_000))
}

func TestEachFinding(t *testing.T) {
	t.Parallel()
	const flight = `flights {"from":"LHR","to":"JFK","class":"economy","passengers":2,"date":"2026-06-09","group":"attendees"}`
	for _, c := range []struct {
		name  string
		facts []string
		want  []string // "CODE r0 r1"
	}{
		{"nothing", nil, nil},
		{"a flight twice", []string{flight, flight}, []string{"DUPLICATE_FLIGHT r0 r1"}},
		{"another date", []string{flight, strings.Replace(flight, "06-09", "06-08", 1)}, nil},
		{"no date", []string{strings.Replace(flight, `"date":"2026-06-09",`, "", 1), strings.Replace(flight, `"date":"2026-06-09",`, "", 1)}, []string{"DUPLICATE_RECORD r0 r1"}},
		{"another group", []string{flight, strings.Replace(flight, "attendees", "staff", 1)}, nil},
		{"there and back entered apart", []string{flight, strings.Replace(flight, `"from":"LHR","to":"JFK"`, `"from":"JFK","to":"LHR"`, 1)}, nil},
		{"another class", []string{flight, strings.Replace(flight, "economy", "business", 1)}, nil},
		{"another number of trips", []string{flight, strings.Replace(flight, `"date"`, `"trips":2,"date"`, 1)}, nil},
		{"there, and there and back", []string{flight, strings.Replace(flight, `"date"`, `"roundTrip":true,"date"`, 1)}, nil},
		{"there and back the same way", []string{strings.Replace(flight, `"date"`, `"direction":"outbound","date"`, 1), strings.Replace(flight, `"date"`, `"direction":"return","date"`, 1)},
			[]string{"OUTBOUND_WITHOUT_RETURN r0"}},
		{"another way", []string{flight, strings.Replace(flight, `"to":"JFK"`, `"to":"JFK","via":["KEF"]`, 1)}, nil},

		{"outbound only", []string{strings.Replace(flight, `"date"`, `"direction":"outbound","date"`, 1)}, []string{"OUTBOUND_WITHOUT_RETURN r0"}},
		{"outbound and return", []string{strings.Replace(flight, `"date"`, `"direction":"outbound","date"`, 1),
			`flights {"from":"JFK","to":"LHR","direction":"return","passengers":2,"date":"2026-06-12","group":"attendees"}`}, nil},
		{"the return of another group", []string{strings.Replace(flight, `"date"`, `"direction":"outbound","date"`, 1),
			`flights {"from":"JFK","to":"LHR","direction":"return","passengers":2,"date":"2026-06-12","group":"staff"}`}, []string{"OUTBOUND_WITHOUT_RETURN r0"}},

		{"more in the air than attendees", []string{`flights {"from":"LHR","to":"JFK","passengers":6,"roundTrip":true,"date":"d","group":"attendees"}`,
			`flights {"from":"LHR","to":"CDG","passengers":5,"roundTrip":true,"date":"d","group":"attendees"}`}, []string{"PASSENGERS_EXCEED_ATTENDEES r0 r1"}},
		{"just as many", []string{`flights {"from":"LHR","to":"JFK","passengers":10,"roundTrip":true,"date":"d","group":"attendees"}`}, nil},
		{"staff do not count", []string{`flights {"from":"LHR","to":"JFK","passengers":60,"roundTrip":true,"date":"d","group":"staff"}`}, nil},
		{"one way each", []string{`flights {"from":"LHR","to":"JFK","passengers":20,"date":"d","group":"attendees"}`}, nil},
		{"too many one way", []string{`flights {"from":"LHR","to":"JFK","passengers":21,"date":"d","group":"attendees"}`}, []string{"PASSENGERS_EXCEED_ATTENDEES r0"}},
		{"trips", []string{`flights {"from":"LHR","to":"JFK","passengers":4,"trips":3,"direction":"return","date":"d","group":"attendees"}`}, []string{"PASSENGERS_EXCEED_ATTENDEES r0"}},
		{"a survey", []string{`flights {"from":"LHR","to":"JFK","passengers":4,"respondents":4,"population":12,"direction":"return","date":"d","group":"attendees"}`}, []string{"PASSENGERS_EXCEED_ATTENDEES r0"}},

		{"rooms enough", []string{`accommodation {"rooms":10,"nights":3,"date":"d","group":"attendees"}`}, nil},
		{"too many rooms", []string{`accommodation {"rooms":10,"nights":3,"date":"d","group":"attendees"}`, `accommodation {"guests":1,"nights":1,"date":"d","group":"attendees"}`},
			[]string{"ROOM_NIGHTS_EXCEED_ATTENDEES r0 r1"}},
		{"rooms of speakers", []string{`accommodation {"rooms":100,"nights":3,"date":"d","group":"speakers"}`}, nil},

		{"two venues at a site", []string{`venue {"site":"Hall 1","electricityKWh":1,"date":"d","group":"staff"}`, `venue {"site":" hall  1","floorAreaM2":5,"days":2,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r0 r1"}},
		{"electricity and gas", []string{`venue {"site":"Hall 1","electricityKWh":1,"date":"d","group":"staff"}`, `venue {"site":"Hall 1","gasKWh":1,"date":"d","group":"staff"}`}, nil},
		{"two days", []string{`venue {"site":"Hall 1","electricityKWh":1,"date":"d","group":"staff"}`, `venue {"site":"Hall 1","electricityKWh":1,"date":"e","group":"staff"}`}, nil},
		{"grid beside a venue", []string{`venue {"site":"Hall 1","electricityKWh":1,"date":"d","group":"staff"}`, `energy {"site":"Hall 1","source":"grid","energyKWh":1,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r1 r0"}},
		{"a generator beside a venue", []string{`venue {"site":"Hall 1","electricityKWh":1,"date":"d","group":"staff"}`, `energy {"site":"Hall 1","source":"diesel","date":"d","group":"staff"}`}, nil},
		{"hours of a generator beside its fuel", []string{`energy {"site":"Field","source":"gas_oil","generatorKVA":100,"hours":36,"date":"d","group":"staff"}`, `energy {"site":"field","source":"diesel","volumeLitres":600,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r0 r1"}},
		{"hours of a generator with its fuel in one record", []string{`energy {"site":"Field","source":"diesel","generatorKVA":100,"hours":36,"volumeLitres":600,"date":"d","group":"staff"}`, `energy {"site":"field","source":"diesel","volumeLitres":500,"date":"d","group":"staff"}`}, nil},
		{"two generators by their hours", []string{`energy {"site":"Field","source":"diesel","generatorKVA":100,"hours":36,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"diesel","generatorKVA":60,"hours":12,"date":"d","group":"staff"}`}, nil},
		{"hours of a generator beside another fuel", []string{`energy {"site":"Field","source":"diesel","generatorKVA":100,"hours":36,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"hvo","volumeLitres":600,"date":"d","group":"staff"}`}, nil},
		{"hours of a generator and fuel of another day", []string{`energy {"site":"Field","source":"diesel","generatorKVA":100,"hours":36,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"diesel","volumeLitres":600,"date":"e","group":"staff"}`}, nil},
		{"an outdoor site beside diesel", []string{`venue {"site":"Field","venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"diesel","volumeLitres":60,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r1 r0"}},
		{"an outdoor site beside the hours of a generator", []string{`venue {"site":"Field","venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"hvo","generatorKVA":100,"hours":36,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r1 r0"}},
		{"an outdoor site twice", []string{`venue {"site":"Field","venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `venue {"site":"Field","venueType":"outdoor_site","days":2,"attendees":9,"date":"d","group":"staff"}`},
			[]string{"SITE_ENERGY_TWICE r0 r1"}},
		{"an outdoor site with a meter beside diesel", []string{`venue {"site":"Field","venueType":"outdoor_site","electricityKWh":3,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"diesel","volumeLitres":60,"date":"d","group":"staff"}`}, nil},
		{"an outdoor site beside propane", []string{`venue {"site":"Field","venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `energy {"site":"Field","source":"propane","weightKg":60,"date":"d","group":"staff"}`}, nil},
		{"an outdoor site without a name beside diesel of a site", []string{`venue {"venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `energy {"site":"Main stage","source":"diesel","volumeLitres":60,"group":"staff"}`,
			`energy {"site":"Camping","source":"hvo","volumeLitres":60,"date":"e","group":"staff"}`}, []string{"SITE_ENERGY_TWICE r0 r1"}},
		{"an outdoor site of a name beside diesel of another", []string{`venue {"site":"Field","venueType":"outdoor_site","days":3,"attendees":10,"date":"d","group":"staff"}`, `energy {"source":"diesel","volumeLitres":60,"date":"d","group":"staff"}`}, nil},
		{"a venue and a grid supply without site", []string{`venue {"electricityKWh":1,"date":"d","group":"staff"}`, `energy {"source":"grid","energyKWh":2,"date":"d","group":"staff"}`}, []string{"SITE_ENERGY_TWICE r0 r1"}},
		{"a venue without electricity and a grid supply without site", []string{`venue {"gasKWh":1,"date":"d","group":"staff"}`, `energy {"source":"grid","energyKWh":2,"date":"d","group":"staff"}`}, nil},
		{"a venue without site and a grid supply of a site", []string{`venue {"electricityKWh":1,"date":"d","group":"staff"}`, `energy {"site":"Car park","source":"grid","energyKWh":2,"date":"d","group":"staff"}`}, nil},
		{"no site", []string{`venue {"electricityKWh":1,"date":"d","group":"staff"}`, `venue {"electricityKWh":1,"date":"d","group":"staff"}`}, []string{"DUPLICATE_RECORD r0 r1"}},

		{"end of life twice", []string{`materials {"material":"plywood","endOfLife":"landfill","date":"d","group":"staff"}`, `waste {"material":"wood","treatment":"landfill","date":"d","group":"staff"}`},
			[]string{"END_OF_LIFE_TWICE r0 r1"}},
		{"no end of life", []string{`materials {"material":"plywood","date":"d","group":"staff"}`, `waste {"material":"wood","treatment":"landfill","date":"d","group":"staff"}`}, nil},
		{"end of life of plastics by their names", []string{`materials {"material":"abs","endOfLife":"landfill","date":"d","group":"staff"}`, `waste {"material":"plastic","treatment":"landfill","date":"d","group":"staff"}`},
			[]string{"END_OF_LIFE_TWICE r0 r1"}},
		{"nothing that waste would name", []string{`materials {"material":"paint","endOfLife":"landfill","date":"d","group":"staff"}`, `waste {"material":"metal","treatment":"landfill","date":"d","group":"staff"}`}, nil},
		{"another material", []string{`materials {"material":"pvc_banner","endOfLife":"landfill","date":"d","group":"staff"}`, `waste {"material":"wood","treatment":"landfill","date":"d","group":"staff"}`}, nil},
		{"mixed waste", []string{`materials {"material":"wood","endOfLife":"landfill","date":"d","group":"staff"}`, `waste {"treatment":"landfill","date":"d","group":"staff"}`}, nil},

		{"catering bought and counted", []string{`purchases {"category":"Food & drink","amount":1,"date":"d","group":"staff"}`, `catering {"meals":1,"date":"d","group":"staff"}`},
			[]string{"PURCHASE_OVERLAPS_RECORDS r0"}},
		{"coaches hired and counted", []string{`purchases {"category":"coach_hire","amount":1,"date":"d","group":"staff"}`, `ground-transport {"mode":"coach","passengers":1,"distanceKm":9,"date":"d","group":"staff"}`},
			[]string{"PURCHASE_OVERLAPS_RECORDS r0"}},
		{"drinks bought and meals counted", []string{`purchases {"category":"bar_service","amount":1,"date":"d","group":"staff"}`, `purchases {"category":"alcohol_bought","amount":1,"date":"d","group":"staff"}`, `catering {"meals":1,"date":"d","group":"staff"}`},
			[]string{"PURCHASE_OVERLAPS_RECORDS r1", "PURCHASE_OVERLAPS_RECORDS r0"}},
		{"insurance and meals", []string{`purchases {"category":"insurance","amount":1,"date":"d","group":"staff"}`, `catering {"meals":1,"date":"d","group":"staff"}`}, nil},
		{"bought only", []string{`purchases {"category":"catering","amount":1,"date":"d","group":"staff"}`}, nil},

		{"a walk of a day", []string{`ground-transport {"mode":"walk","distanceKm":50,"date":"d","group":"staff"}`}, nil},
		{"a walk of a week", []string{`ground-transport {"mode":"walk","distanceKm":50.1,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},
		{"a long way by rail", []string{`ground-transport {"mode":"rail","distanceKm":4999,"date":"d","group":"staff"}`}, nil},
		{"metres for kilometres", []string{`ground-transport {"mode":"rail","distanceKm":350000,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},
		{"a long way by sea", []string{`freight {"mode":"sea","distanceKm":18000,"date":"d","group":"staff"}`}, nil},
		{"ten meals for everybody and day", []string{`catering {"meals":200,"date":"d","group":"staff"}`}, nil},
		{"more meals than can be eaten", []string{`catering {"meals":201,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},
		{"grams for kilograms", []string{`waste {"weightKg":1000.5,"date":"d","group":"staff"}`, `waste {"weightKg":1000,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},
		{"watt-hours for kilowatt-hours", []string{`venue {"electricityKWh":10001,"date":"d","group":"staff"}`, `venue {"electricityKWh":10000,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},

		{"watt-hours of the grid", []string{`energy {"site":"A","source":"grid","energyKWh":10001,"date":"d","group":"staff"}`, `energy {"site":"B","source":"grid","energyKWh":10000,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},

		{"grams of refrigerant for kilograms", []string{`energy {"source":"refrigerant","weightKg":20.5,"date":"d","group":"staff"}`, `energy {"source":"refrigerant","weightKg":20,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},
		{"grams of pellets for kilograms", []string{`energy {"source":"wood_pellets","weightKg":1000.5,"date":"d","group":"staff"}`, `energy {"source":"wood_pellets","weightKg":1000,"date":"d","group":"staff"}`}, []string{"OUT_OF_RANGE_FOR_TYPE r0"}},

		{"excluded", []string{`digital {"date":"d","group":"staff"}`}, []string{"EXCLUDED_TYPE_COUNTED r0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := findings.Of(conference(), facts(c.facts...))
			var got []string
			for _, f := range found {
				if f.Code == findings.CompanionMissing {
					continue // most cases have one type only
				}
				line := f.Code
				for _, id := range f.RecordIDs {
					line += " " + string(id)
				}
				got = append(got, line)
				if f.Message == "" || f.Records != len(f.RecordIDs) || f.Severity != findings.Warning && f.Severity != findings.Info {
					t.Errorf("%+v", f)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestRangesGrowWithTheEvent: what is out of range depends on the people at the event, in person and remote, and its
// days; of an event without people nothing is.
func TestRangesGrowWithTheEvent(t *testing.T) {
	t.Parallel()
	event := func(attendees, virtual int64) findings.Event {
		e := record.Event{StartDate: "2026-06-10", EndDate: "2026-06-12"}
		if attendees > 0 {
			e.Attendees = &attendees
		}
		if virtual > 0 {
			e.VirtualAttendees = &virtual
		}
		return findings.EventOf(e, footprint.Mass{})
	}
	heavy := func(kg int64) findings.Fact {
		f := facts(`custom {"date":"d","group":"staff"}`)[0]
		f.Mass = footprint.MassOf(kg * 1_000_000_000)
		return f
	}
	stream := func(participants int) findings.Fact {
		return facts(fmt.Sprintf(`digital {"participants":%d,"date":"d","group":"staff"}`, participants))[0]
	}
	for name, c := range map[string]struct {
		event findings.Event
		fact  findings.Fact
		want  int
	}{
		"a tonne for each and day":       {event(20, 0), heavy(60_000), 0},
		"more than that":                 {event(20, 0), heavy(60_001), 1},
		"of a small event":               {event(1, 0), heavy(20_000), 0},
		"more than that of a small one":  {event(1, 0), heavy(20_001), 1},
		"of nobody":                      {event(0, 0), heavy(60_001), 0},
		"listeners":                      {event(20, 100), stream(1200), 0},
		"more listeners":                 {event(20, 100), stream(1201), 1},
		"listeners of a remote event":    {event(0, 100), stream(1001), 1},
		"listeners of an unknown number": {event(0, 0), stream(5000), 0},
	} {
		if got := ofCode(findings.Of(c.event, []findings.Fact{c.fact}), findings.OutOfRange); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCradleToGraveBesideWaste: a factor that includes the end of life duplicates a separate line for it.
func TestCradleToGraveBesideWaste(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", FactorSet: "desnz-2026"}
	fact := func(id, typ, body string) findings.Fact {
		t.Helper()
		decoded, err := footprint.Decode(typ, []byte(body), ev)
		if err != nil {
			t.Fatal(err)
		}
		e, err := footprint.Evaluate(typ, decoded.Fields, ev)
		if err != nil {
			t.Fatal(err)
		}
		counted, err := json.Marshal(total.Of(&e))
		if err != nil {
			t.Fatal(err)
		}
		return findings.FactOf(record.Counted{ID: record.ID(id), Type: typ, Fields: decoded.Fields, Contribution: counted})
	}
	const when = `"date":"2026-06-10","group":"staff"}`
	textiles := fact("textiles", "waste", `{"treatment":"landfill","material":"textile","weightKg":40,`+when)
	all := fact("mixed", "waste", `{"treatment":"landfill","weightKg":40,`+when)
	for name, c := range map[string]struct {
		body  string
		waste findings.Fact
		found bool
	}{
		"carpet by area":            {`{"material":"carpet","areaM2":100,` + when, textiles, true},
		"carpet by weight":          {`{"material":"carpet_wool","weightKg":100,` + when, textiles, true},
		"carpet beside other waste": {`{"material":"carpet","areaM2":100,` + when, all, false},
		"clothing, cradle to gate":  {`{"material":"clothing","weightKg":100,` + when, textiles, false},
		"shirts, cradle to gate":    {`{"material":"tshirt_cotton","items":100,` + when, textiles, false},
	} {
		got := findings.Of(findings.Event{}, []findings.Fact{fact("material", "materials", c.body), c.waste})
		if c.found != (len(got) == 1 && got[0].Code == findings.EndOfLifeTwice && got[0].Records == 2 && strings.Contains(got[0].Message, "textile")) || !c.found && len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestLargeRecordsNameTheirDateAndGroup(t *testing.T) {
	t.Parallel()
	e := conference()
	e.Total = footprint.MassOf(20_000_000_000)
	found := findings.Of(e, facts(`custom {"group":"staff"}`, `custom {"date":"d"}`, `custom {"date":"d","group":"staff"}`))
	if len(found) != 2 || found[0].Code != findings.LargeWithoutDateOrGr || found[0].RecordIDs[0] != "r0" || !strings.Contains(found[1].Message, "no group") {
		t.Fatalf("%+v", found)
	}
	// Attendees travel when the event is, and are a group.
	if found := findings.Of(e, facts(`attendee-travel {}`)); len(found) != 0 {
		t.Fatalf("%+v", found)
	}
	e.Total = footprint.MassOf(20_000_000_001)
	if found := findings.Of(e, facts(`custom {}`)); len(found) != 0 {
		t.Fatalf("%+v", found)
	}
}

func TestOnePassengerIsNotSeveral(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: " 2026-06-09, 1 passenger, ", 2: " 2026-06-09, 2 passengers, "} {
		flight := fmt.Sprintf(`flights {"from":"LHR","to":"JFK","passengers":%d,"date":"2026-06-09","group":"staff"}`, n)
		found := findings.Of(conference(), facts(flight, flight))
		at := slices.IndexFunc(found, func(f findings.Finding) bool { return f.Code == findings.DuplicateFlight })
		if at < 0 || !strings.Contains(found[at].Message, want) {
			t.Errorf("of %d: %+v", n, found)
		}
	}
}

func TestFindingsAreBoundedAndInOneOrder(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 40 {
		for range 2 + i%3*40 {
			lines = append(lines, fmt.Sprintf(`flights {"from":"LHR","to":"A%02d","passengers":1,"date":"2026-06-09","direction":"outbound","group":"staff"}`, i))
		}
	}
	all := facts(lines...)
	ev := conference()
	ev.Excluded = []string{"ground-transport"} // which flights would require
	found := findings.Of(ev, all)
	if len(found) != 2*findings.MaxPerCode || found[0].Severity != findings.Warning || found[len(found)-1].Severity != findings.Info {
		t.Fatalf("%d findings", len(found))
	}
	records := 0
	for _, f := range found {
		if len(f.RecordIDs) > findings.MaxIDs || f.Records < len(f.RecordIDs) {
			t.Fatalf("%+v", f)
		}
		records += f.Records
	}
	if records != 2*len(all) { // each is a duplicate and without a return
		t.Fatalf("%d records in findings, want %d", records, 2*len(all))
	}
	testkit.Rand(t).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if !reflect.DeepEqual(findings.Of(ev, all), found) {
		t.Fatal("the order of the facts matters")
	}
	if f := findings.TooMany(5); f.Code != findings.NotChecked || !strings.Contains(f.Message, "up to 5 ") {
		t.Fatalf("%+v", f)
	}
}

func TestEventWithoutNumbersFindsNothing(t *testing.T) {
	t.Parallel()
	e := findings.EventOf(record.Event{Boundary: json.RawMessage(`not json`)}, footprint.Mass{})
	found := findings.Of(e, facts(`flights {"from":"LHR","to":"JFK","passengers":600,"roundTrip":true,"group":"attendees"}`, `accommodation {"rooms":10,"nights":300,"group":"attendees"}`, `venue not json`))
	if len(found) != 0 {
		t.Fatalf("%+v", found)
	}
}
