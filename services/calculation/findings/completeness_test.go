package findings_test

import (
	"slices"
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

// TestDuplicatesOfEveryType: records that are alike but for words are found,
// those of another quantity, date or without a date are not.
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
	if len(got) != 1 || !slices.Equal(got[0].RecordIDs, []record.ID{"a", "b"}) || got[0].Severity != findings.Warning {
		t.Errorf("found %+v", got)
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
