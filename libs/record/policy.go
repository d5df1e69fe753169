package record

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// AutoApproval is the part of a policy that approves small records as they are
// submitted. The zero value is off.
type AutoApproval struct {
	// BelowKg: records whose absolute figure is smaller are approved; 0: none.
	BelowKg decimal.Decimal
	// SpotCheckOneIn: one in this many of them waits for a person; 0: none does.
	SpotCheckOneIn int64
	// By is the administrator who set the policy, named in the histories of approved records.
	By Actor
}

// On reports whether anything is approved this way.
func (a AutoApproval) On() bool { return a.BelowKg.Sign() > 0 }

// Approves reports whether a record that counts for mass is approved without a
// person. Which records are spot-checked depends on their ids alone: who submits
// again does not draw again.
func (a AutoApproval) Approves(org OrgID, id ID, mass footprint.Mass) bool {
	if !a.On() {
		return false
	}
	kilograms := new(big.Rat).SetFrac(new(big.Int).Abs(mass.Big()), big.NewInt(1_000_000_000))
	below, ok := new(big.Rat).SetString(a.BelowKg.String())
	if !ok || kilograms.Cmp(below) >= 0 {
		return false
	}
	return a.SpotCheckOneIn <= 0 || draw(org, id)%uint64(a.SpotCheckOneIn) != 0
}

// draw returns a pseudorandom number for a record that the user cannot choose.
func draw(org OrgID, id ID) uint64 {
	sum := sha256.Sum256([]byte("spot check/" + string(org) + "/" + string(id)))
	return binary.BigEndian.Uint64(sum[:])
}

// MarshalJSON encodes the policy as clients see it.
func (p Policy) MarshalJSON() ([]byte, error) {
	view := struct {
		FourEyes           bool             `json:"fourEyes"`
		RequireReason      bool             `json:"requireReason"`
		AutoApproveBelowKg *decimal.Decimal `json:"autoApproveBelowKg"`
		SpotCheckOneIn     *int64           `json:"spotCheckOneIn"`
		AutoApproveSetBy   *Actor           `json:"autoApproveSetBy"`
	}{FourEyes: p.FourEyes, RequireReason: p.RequireReason}
	if a := p.AutoApprove; a.On() {
		view.AutoApproveBelowKg, view.AutoApproveSetBy = &a.BelowKg, &a.By
		if a.SpotCheckOneIn > 0 {
			view.SpotCheckOneIn = &a.SpotCheckOneIn
		}
	}
	return json.Marshal(view)
}

// approvedAgain is the lowest revision of a record that is submitted and was approved before:
// created, submitted, approved, reopened, submitted.
const approvedAgain = 5

// ApprovedBefore reports whether a record that is not approved now was approved once.
// It reads the history of few records: others are too young for it.
func ApprovedBefore(ctx context.Context, history interface {
	Entries(ctx context.Context, org OrgID, id ID) ([]Entry, error)
}, r Record) (bool, error) {
	if r.Rev < approvedAgain {
		return false, nil
	}
	entries, err := history.Entries(ctx, r.Org, r.ID)
	if err != nil {
		return false, fmt.Errorf("was it approved before: read history: %w", err)
	}
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Rev < r.Rev && e.To == Approved }), nil
}

// PolicyApproval returns the request by which an organization's policy approves a
// record that has just been submitted, and whether it does. It approves exactly the
// submitted revision. Under four-eyes control a record that was approved before
// (ApprovedBefore) needs a person, because reopening and submitting it again must
// not restore the approval without one.
func PolicyApproval(p Policy, submitted Record, ev Event, approvedBefore bool) (Request, bool) {
	if p.FourEyes && approvedBefore {
		return Request{}, false
	}
	contribution := submitted.Contribution
	if submitted.ContextRev != ev.ContextRev || len(contribution) == 0 {
		var err error
		if _, contribution, err = Evaluate(submitted.Type, submitted.Fields, nil, ev.Context()); err != nil {
			return Request{}, false // records that cannot be calculated need a person
		}
	}
	var sum total.Contribution
	if err := json.Unmarshal(contribution, &sum); err != nil || !p.AutoApprove.Approves(submitted.Org, submitted.ID, sum.Total()) {
		return Request{}, false
	}
	return Request{
		Org: submitted.Org, Key: submitted.Key(), Move: AutoApprove, By: p.AutoApprove.By,
		Comment: fmt.Sprintf("Approved by the organization's policy: less than %s kg CO2e.", p.AutoApprove.BelowKg),
		IfMatch: func(r Record) bool { return r.Rev == submitted.Rev },
	}, true
}
