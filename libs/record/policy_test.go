package record_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func kilograms(t *testing.T, micrograms string) footprint.Mass {
	t.Helper()
	m, err := footprint.ParseMicrograms(micrograms)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAutoApprovalIsForSmallRecords(t *testing.T) {
	t.Parallel()
	below := record.AutoApproval{BelowKg: decimal.New(125, 1)} // 12.5
	for micrograms, want := range map[string]bool{
		"0": true, "12499999999": true, "12500000000": false, "12500000001": false, "-1": true, "-12500000000": false,
	} {
		if got := below.Approves("lot", kilograms(t, micrograms)); got != want {
			t.Errorf("%s µg: %t", micrograms, got)
		}
	}
	if (record.AutoApproval{}).Approves("lot", kilograms(t, "0")) {
		t.Error("approved although it is off")
	}
}

// One in N is looked at, always the same ones.
func TestSpotChecksAreDeterministic(t *testing.T) {
	t.Parallel()
	const records = 10_000
	for _, oneIn := range []int64{1, 2, 20} {
		a := record.AutoApproval{BelowKg: decimal.FromInt(1), SpotCheckOneIn: oneIn}
		checked := 0
		for i := range records {
			lot := fmt.Sprint("lot", i)
			first := a.Approves(lot, footprint.Mass{})
			if first != a.Approves(lot, footprint.Mass{}) {
				t.Fatal("drawn again")
			}
			if !first {
				checked++
			}
		}
		want := records / int(oneIn)
		if checked < want*8/10 || checked > want*12/10 {
			t.Errorf("one in %d: %d of %d", oneIn, checked, records)
		}
	}
}

func TestAutoApprovalIsAMoveOfItsOwn(t *testing.T) {
	t.Parallel()
	admin := record.Actor{ID: "admin", Name: "Ada", Role: identity.Admin}
	for name, c := range map[string]struct {
		from     record.Status
		by       record.Actor
		fourEyes bool
		want     apperr.Code
	}{
		"submitted":                              {from: record.Submitted, by: admin},
		"submitted, four eyes":                   {from: record.Submitted, by: admin, fourEyes: true},
		"the admin's own record":                 {from: record.Submitted, by: record.Actor{ID: "creator", Role: identity.Admin}},
		"the admin's own record, four eyes":      {from: record.Submitted, by: record.Actor{ID: "creator", Role: identity.Admin}, fourEyes: true, want: apperr.SelfApprovalForbidden},
		"somebody has it in hand":                {from: record.InReview, by: admin, want: apperr.InvalidTransition},
		"withdrawn":                              {from: record.Unsubmitted, by: admin, want: apperr.InvalidTransition},
		"approved":                               {from: record.Approved, by: admin, want: apperr.InvalidTransition},
		"rejected":                               {from: record.Rejected, by: admin, want: apperr.InvalidTransition},
		"nobody below an admin can set a policy": {from: record.Submitted, by: manager, want: apperr.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, w := newFlow(t, c.from)
			req := request(record.AutoApprove, c.by)
			w.Policy = policyOf(c.fourEyes)
			got, err := w.Apply(t.Context(), req)
			if apperr.CodeOf(err) != c.want || (store.writes == 1) != (c.want == "") {
				t.Fatalf("%v, %d writes", err, store.writes)
			}
			if err == nil && (got.Status != record.Approved || got.Mark == "" || got.Last.Move != record.AutoApprove || got.Last.By != c.by || got.ReviewedBy == nil) {
				t.Errorf("got %+v", got)
			}
		})
	}
	for _, s := range record.Statuses() {
		for _, m := range record.AllowedMoves(record.Record{Status: s}, record.Actor{Role: identity.Admin}, false) {
			if m == record.AutoApprove {
				t.Errorf("people can make %s in %s", m, s)
			}
		}
	}
}

func TestPolicyAsClientsSeeIt(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]record.Policy{
		`{"fourEyes":false,"requireReason":false,"autoApproveBelowKg":null,"spotCheckOneIn":null,"autoApproveSetBy":null}`: {},
		`{"fourEyes":true,"requireReason":false,"autoApproveBelowKg":0.5,"spotCheckOneIn":10,"autoApproveSetBy":{"_id":"a","name":"Ada","role":"admin"}}`: {
			FourEyes: true, AutoApprove: record.AutoApproval{BelowKg: decimal.New(5, 1), SpotCheckOneIn: 10, By: record.Actor{ID: "a", Name: "Ada", Role: identity.Admin}},
		},
		`{"fourEyes":false,"requireReason":false,"autoApproveBelowKg":2,"spotCheckOneIn":null,"autoApproveSetBy":{"_id":"a","role":"admin"}}`: {
			AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(2), By: record.Actor{ID: "a", Role: identity.Admin}},
		},
	} {
		got, err := json.Marshal(p)
		if err != nil || string(got) != want {
			t.Errorf("got %s %v, want %s", got, err, want)
		}
	}
}
