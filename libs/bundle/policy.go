package bundle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
)

// Policy is one state of an organization's review policy, with its author.
type Policy struct {
	Revision int64        `json:"revision"`
	At       string       `json:"at"`
	By       record.Actor `json:"by"`
	// ConfirmedBy is the second administrator, where four eyes was switched off.
	ConfirmedBy *record.Actor `json:"confirmedBy,omitempty"`
	FourEyes    bool          `json:"fourEyes"`
	// AutoApproveBelowKg are the kilograms below which records are approved automatically; empty for none. One in
	// SpotCheckOneIn of them waits for a person.
	AutoApproveBelowKg string `json:"autoApproveBelowKg,omitempty"`
	SpotCheckOneIn     int64  `json:"spotCheckOneIn,omitempty"`
}

// PoliciesOf returns the states of an organization's policy as a bundle has them, in
// the same order.
func PoliciesOf(states []record.PolicyEntry) []Policy {
	all := make([]Policy, 0, len(states))
	for _, e := range states {
		all = append(all, Policy{Revision: e.Rev, At: e.At.UTC().Format(stampLayout), By: e.By, ConfirmedBy: e.ConfirmedBy,
			FourEyes: e.FourEyes, AutoApproveBelowKg: e.AutoApproveBelowKg, SpotCheckOneIn: e.SpotCheckOneIn})
	}
	return all
}

// checkPolicy checks that an approval was made under an existing policy, and as that policy requires. Approvals that
// predate references to a policy are not checked, nor are bundles that predate policies.
func checkPolicy(policies []Policy, p Provenance) error {
	last := p.History[len(p.History)-1]
	if last.FourEyes && !p.Approved.Policy && hadAHand(p.History, last.By.ID) {
		return errors.New("it was approved under four eyes by somebody who had created, edited or submitted it")
	}
	if len(policies) == 0 || last.PolicyRev == 0 {
		return nil
	}
	i := slices.IndexFunc(policies, func(x Policy) bool { return x.Revision == last.PolicyRev })
	switch {
	case i < 0:
		return fmt.Errorf("it was approved under revision %d of the policy, which there is none of", last.PolicyRev)
	case policies[i].FourEyes != last.FourEyes:
		return fmt.Errorf("whether it was approved under four eyes is not what revision %d of the policy says", last.PolicyRev)
	case p.Approved.Policy && policies[i].AutoApproveBelowKg == "":
		return fmt.Errorf("it was approved automatically, which revision %d of the policy does not do", last.PolicyRev)
	}
	return nil
}

// hadAHand reports whether a person created the record, or edited or submitted it since the previous approval: with
// four-eyes control they must not approve it.
func hadAHand(history []record.Entry, person string) (hand bool) {
	for _, e := range history[:len(history)-1] {
		switch e.Move {
		case record.Create:
			if e.By.ID == person {
				return true
			}
		case record.Edit, record.Submit:
			hand = hand || e.By.ID == person
		case record.Approve, record.AutoApprove:
			hand = false
		default:
		}
	}
	return hand
}

// sayPolicies adds statements on the history of the policy: since when four eyes is required, who switched it off,
// and what is approved automatically.
func (v *Verdict) sayPolicies(policies []Policy) {
	for i, p := range policies {
		var before Policy
		if i > 0 {
			before = policies[i-1]
		}
		if p.FourEyes != before.FourEyes {
			state, second := "on", ""
			if !p.FourEyes {
				state, second = "off", ", with no second administrator"
				if p.ConfirmedBy != nil {
					second = ", confirmed by " + personOf(*p.ConfirmedBy)
				}
			}
			v.say("Policy, revision %d: four eyes was switched %s by %s on %s%s.", p.Revision, state, personOf(p.By), p.At, second)
		}
		switch {
		case p.AutoApproveBelowKg != "" && (p.AutoApproveBelowKg != before.AutoApproveBelowKg || p.SpotCheckOneIn != before.SpotCheckOneIn):
			check := "none of them waits for a person"
			if p.SpotCheckOneIn > 0 {
				check = fmt.Sprintf("one in %d of them waits for a person", p.SpotCheckOneIn)
			}
			v.say("Policy, revision %d: records below %s kg CO2e are approved automatically, as %s decided on %s; %s.", p.Revision, p.AutoApproveBelowKg, personOf(p.By), p.At, check)
		case p.AutoApproveBelowKg == "" && before.AutoApproveBelowKg != "":
			v.say("Policy, revision %d: nothing is approved automatically any more, as %s decided on %s.", p.Revision, personOf(p.By), p.At)
		}
	}
}
