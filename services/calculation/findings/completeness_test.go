package findings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

func ofCode(all []findings.Finding, code string) (out []findings.Finding) {
	for _, f := range all {
		if f.Code == code {
			out = append(out, f)
		}
	}
	return out
}

// TestDuplicatesOfEveryType: records that differ only in texts are duplicates, those with another quantity, another
// date or no date are not.
func TestDuplicatesOfEveryType(t *testing.T) {
	t.Parallel()
	fact := func(id record.ID, typ, fields string) findings.Fact {
		return findings.FactOf(record.Counted{ID: id, Type: typ, Fields: []byte(fields)})
	}
	got := ofCode(findings.Of(findings.Event{}, []findings.Fact{
		fact("a", "catering", `{"meals":400,"diet":"vegan","date":"2026-05-12"}`),
		fact("b", "catering", `{"meals":400,"diet":"vegan","date":"2026-05-12","description":"lunch"}`),
		fact("c", "catering", `{"meals":401,"diet":"vegan","date":"2026-05-12"}`),
		fact("d", "catering", `{"meals":400,"diet":"vegan","date":"2026-05-13"}`),
		fact("e", "accommodation", `{"nights":2,"rooms":3,"country":"GB"}`),
		fact("f", "accommodation", `{"nights":2,"rooms":3,"country":"GB"}`),
		fact("g", "flights", `{"from":"LHR","to":"JFK","passengers":1,"date":"2026-05-12"}`),
		fact("h", "flights", `{"from":"LHR","to":"JFK","passengers":1,"date":"2026-05-12"}`),
	}), findings.DuplicateRecord)
	if len(got) != 2 || !slices.Equal(got[0].RecordIDs, []record.ID{"a", "b"}) || got[0].Severity != findings.Warning ||
		!slices.Equal(got[1].RecordIDs, []record.ID{"e", "f"}) || got[1].Severity != findings.Info {
		t.Errorf("found %+v", got)
	}
}

// TestExpectedCompanions: accommodation requires journeys, meals require waste and energy, except for types that the
// boundary excludes.
func TestExpectedCompanions(t *testing.T) {
	t.Parallel()
	count := func(ev findings.Event, types ...string) int {
		var facts []findings.Fact
		for _, typ := range types {
			typ, source, _ := strings.Cut(typ, " ")
			fact := findings.Fact{ID: record.ID(typ), Type: typ}
			fact.Source = source
			facts = append(facts, fact)
		}
		return len(ofCode(findings.Of(ev, facts), findings.CompanionMissing))
	}
	for _, c := range []struct {
		types []string
		want  int
	}{
		{nil, 0}, {[]string{"accommodation"}, 2}, {[]string{"accommodation", "ground-transport", "energy"}, 0}, {[]string{"flights"}, 1}, {[]string{"accommodation", "ground-transport", "energy refrigerant"}, 1}, {[]string{"flights", "attendee-travel"}, 0},
		{[]string{"catering"}, 2}, {[]string{"catering", "waste"}, 1}, {[]string{"catering", "waste", "venue"}, 1}, {[]string{"catering", "waste", "venue", "water"}, 0},
	} {
		if got := count(findings.Event{Attendees: 9}, c.types...); got != c.want {
			t.Errorf("%v: %d companions are missing, want %d", c.types, got, c.want)
		}
	}
	if got := count(findings.Event{Attendees: 9, Excluded: []string{"waste"}}, "catering", "venue", "water"); got != 0 {
		t.Errorf("what the boundary excludes is expected: %d", got)
	}
}

// TestVolumesOfEveryType: each type has a quantity that no event reaches.
func TestVolumesOfEveryType(t *testing.T) {
	t.Parallel()
	ev := findings.Event{Attendees: 50, Days: 2, Virtual: 10}
	for typ, fields := range map[string][2]string{
		"ground-transport": {`{"mode":"rail","passengers":1000}`, `{"mode":"rail","passengers":1001}`},
		"accommodation":    {`{"rooms":1000,"nights":2}`, `{"rooms":1001,"nights":2}`},
		"flights":          {`{"passengers":400}`, `{"passengers":401}`},
		"catering":         {`{"meals":1000}`, `{"meals":1001}`},
		"waste":            {`{"weightKg":5000}`, `{"weightKg":5000.1}`},
		"venue":            {`{"electricityKWh":50000}`, `{"electricityKWh":50000.1}`},
		"energy":           {`{"volumeLitres":5000}`, `{"volumeLitres":5001}`},
		"water":            {`{"supplyM3":200}`, `{"supplyM3":201}`},
		"freight":          {`{"weightKg":50000}`, `{"weightKg":50001}`},
		"materials":        {`{"weightKg":20000}`, `{"weightKg":20001}`},
		"digital":          {`{"participants":600}`, `{"participants":601}`},
	} {
		for i, f := range fields {
			got := ofCode(findings.Of(ev, []findings.Fact{findings.FactOf(record.Counted{ID: "a", Type: typ, Fields: []byte(f)})}), findings.OutOfRange)
			if len(got) != i {
				t.Errorf("%s %s: %+v", typ, f, got)
			}
		}
	}
	for _, typ := range []string{"purchases", "custom"} {
		f := findings.FactOf(record.Counted{ID: "a", Type: typ, Fields: []byte(`{}`), Contribution: []byte(`{"records":1,"total":"100000000000001"}`)})
		if got := ofCode(findings.Of(ev, []findings.Fact{f}), findings.OutOfRange); len(got) != 1 {
			t.Errorf("%s of %s kg: %+v", typ, f.Mass.Kilograms(), got)
		}
	}
	rail := findings.FactOf(record.Counted{ID: "a", Type: "ground-transport", Fields: []byte(`{"mode":"rail","passengers":101,"roundTrip":true,"group":"attendees"}`)})
	if got := ofCode(findings.Of(ev, []findings.Fact{rail}), findings.FlyersExceed); len(got) != 1 {
		t.Errorf("202 journeys of 50 attendees on 2 days: %+v", got)
	}
}

// TestIncludedTypesNeedRecords: each included type without a counted record is
// found, and no other.
func TestIncludedTypesNeedRecords(t *testing.T) {
	t.Parallel()
	ev := findings.EventOf(record.Event{Boundary: []byte(`{"included":["flights","venue","waste"],"excluded":[]}`)}, findings.Event{}.Total)
	got := ofCode(findings.Of(ev, []findings.Fact{{ID: "a", Type: "flights"}}), findings.IncludedTypeMissing)
	if len(got) != 2 || got[0].Records != 0 || got[0].RecordIDs == nil {
		t.Errorf("found %+v", got)
	}
	if got := ofCode(findings.Of(findings.Event{}, nil), findings.IncludedTypeMissing); len(got) != 0 {
		t.Errorf("without a boundary: %+v", got)
	}
}

// TestExcludedTypesAreNamed: the sentence has its verb after what it is of, for one record and for several.
func TestExcludedTypesAreNamed(t *testing.T) {
	t.Parallel()
	ev := findings.Event{Excluded: []string{"freight", "water"}}
	of := func(id, typ string) findings.Fact { return findings.Fact{ID: record.ID(id), Type: typ} }
	got := ofCode(findings.Of(ev, []findings.Fact{of("a", "freight"), of("b", "water"), of("c", "water")}), findings.ExcludedTypeCounted)
	if len(got) != 2 || !strings.HasPrefix(got[0].Message, "1 record of the type freight is counted, although") || !strings.HasPrefix(got[1].Message, "2 records of the type water are counted, although") {
		t.Errorf("%+v", got)
	}
}
