package record_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestAPolicyIsChangedSoOftenADay: as often as the limit permits, and again a day later, whatever changes predate the
// log.
func TestAPolicyIsChangedSoOftenADay(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	o := record.Organization{CreatedAt: start}
	for n := range record.PoliciesADay {
		now := start.Add(time.Duration(n) * time.Minute)
		if err := o.CheckPolicies(now); err != nil {
			t.Fatalf("change %d: %v", n+1, err)
		}
		o.SetPolicy(record.Policy{FourEyes: n%2 == 0}, int64(n)+2, record.Actor{ID: "root"}, nil, now)
	}
	if err := o.CheckPolicies(start.Add(24*time.Hour - 1)); apperr.CodeOf(err) != apperr.InvalidTransition {
		t.Errorf("after %d changes: %v", record.PoliciesADay, err)
	}
	if err := o.CheckPolicies(start.Add(24 * time.Hour)); err != nil {
		t.Errorf("a day after the first: %v", err)
	}
}

// TestTheDocumentKeepsFewPolicies: a long log needs little space in the organization's document, even with the
// longest names.
func TestTheDocumentKeepsFewPolicies(t *testing.T) {
	t.Parallel()
	by := record.Actor{ID: fmt.Sprintf("%26d", 1), Name: fmt.Sprintf("%200d", 1), Role: identity.Admin}
	var o record.Organization
	for n := range 200 {
		o.SetPolicy(record.Policy{FourEyes: n%2 == 0}, int64(n)+2, by, &by, time.Now())
	}
	archive := &policies{}
	if err := record.ArchivePolicies(t.Context(), archive, &o); err != nil {
		t.Fatal(err)
	}
	if text, err := o.EncodePolicy(); err != nil || len(text) > 32<<10 {
		t.Errorf("the log has %d bytes, %v", len(text), err)
	}
	all, err := record.PolicyHistory(t.Context(), archive, o)
	if err != nil || len(all) != 201 || all[0].Rev != 0 || all[200].Rev != 201 {
		t.Errorf("%d states, %v", len(all), err)
	}
}

// policies is a store in memory that lists states above a revision.
type policies struct{ states []record.PolicyEntry }

func (p *policies) InsertPolicies(_ context.Context, _ record.OrgID, states []record.PolicyEntry) error {
	p.states = append(p.states, states...)
	return nil
}

func (p *policies) PoliciesAfter(_ context.Context, _ record.OrgID, after int64, limit int) (some []record.PolicyEntry, err error) {
	for _, e := range p.states {
		if e.Rev > after && len(some) < limit {
			some = append(some, e)
		}
	}
	return some, nil
}
