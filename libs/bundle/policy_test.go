package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestApprovalsAreJudgedByTheirPolicy: a bundle contains the history of the policy, and an approval names the state
// it was made under. Contradictions are differences, and statements describe the history, with names and without
// them.
func TestApprovalsAreJudgedByTheirPolicy(t *testing.T) {
	t.Parallel()
	emmy := record.Actor{ID: "u-emmy", Name: "Emmy Noether", Role: identity.Admin}
	lise := record.Actor{ID: "u-lise", Name: "Lise Meitner", Role: identity.Admin}
	at := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	o := record.Organization{ID: "org1", CreatedAt: at}
	o.SetPolicy(record.Policy{FourEyes: true, AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(50), SpotCheckOneIn: 20, By: emmy}}, 4, emmy, nil, at.AddDate(0, 0, 1))
	under := o.Policy
	o.SetPolicy(record.Policy{}, 9, emmy, &lise, at.AddDate(0, 0, 20))

	all := func(by record.Actor, move record.Move, policy record.Policy) bundle.Source {
		s := withPeople(t, planck)
		s.Policies, s.Provenance = bundle.PoliciesOf(o.KeptHistory()), nil
		for _, in := range s.Records {
			s.Provenance = append(s.Provenance, bundle.ProvenanceOf(record.ID(in.ID), in.Revision, in.Fields, approvedUnder(t, in, by, move, policy)))
		}
		return s
	}
	s := all(planck, record.Approve, under)
	roles := s
	roles.InputsHash = s.Tree.Root(context(t), s.Records)
	n := 0
	pseudonym := func() string { n++; return fmt.Sprint("x", n) }
	automatic := all(emmy, record.AutoApprove, under)
	for name, c := range map[string]struct {
		source bundle.Source
		says   string
	}{
		"by people":     {s, "6 counted records were approved by a manager or an administrator, and 0 automatically"},
		"by the policy": {automatic, "and 6 automatically by the organization's policy"},
		"without names": {bundle.NewPseudonyms(pseudonym).WithoutNames(roles), "four eyes was switched on by person-x3 (admin)"},
		"switched on":   {s, "Policy, revision 4: four eyes was switched on by Emmy Noether (admin) on 2026-06-02T08:00:00.000Z."},
		"automatic":     {s, "Policy, revision 4: records below 50 kg CO2e are approved automatically, as Emmy Noether (admin) decided on 2026-06-02T08:00:00.000Z; one in 20 of them waits"},
		"switched off":  {s, "Policy, revision 9: four eyes was switched off by Emmy Noether (admin) on 2026-06-21T08:00:00.000Z, confirmed by Lise Meitner (admin)."},
		"no more":       {s, "Policy, revision 9: nothing is approved automatically any more"},
	} {
		v, err := bundle.Verify(signedSource(t, c.source))
		if err != nil || len(v.Differences) > 0 {
			t.Errorf("%s: %v %v", name, err, v.Differences)
		}
		if said := strings.Join(v.Statements, "\n"); !strings.Contains(said, c.says) {
			t.Errorf("%s does not say %q: %s", name, c.says, said)
		}
	}

	unknown, lax, later := under, under, record.Policy{Rev: 9, AutoApprove: under.AutoApprove}
	unknown.Rev, lax.FourEyes = 5, false
	for want, forged := range map[string]bundle.Source{
		"approved under revision 5 of the policy, which there is none of":           all(planck, record.Approve, unknown),
		"whether it was approved under four eyes is not what revision 4":            all(planck, record.Approve, lax),
		"it was approved automatically, which revision 9 of the policy does not do": all(emmy, record.AutoApprove, later),
	} {
		v, err := bundle.Verify(signedSource(t, forged))
		if err != nil || len(v.Differences) != 6 || !strings.Contains(v.Differences[0].String(), want) {
			t.Errorf("%v, %v; want %q for each record", err, v.Differences, want)
		}
	}
}
