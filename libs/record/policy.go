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
// person. Which records are spot-checked depends on the hash of the entry of their first
// submission alone (Past.Lot): who submits again does not draw again, and nobody can tell before
// that submission, because the hash covers a salt that is drawn with it.
func (a AutoApproval) Approves(lot string, mass footprint.Mass) bool {
	if !a.On() {
		return false
	}
	kilograms := new(big.Rat).SetFrac(new(big.Int).Abs(mass.Big()), big.NewInt(1_000_000_000))
	below, ok := new(big.Rat).SetString(a.BelowKg.String())
	if !ok || kilograms.Cmp(below) >= 0 {
		return false
	}
	return a.SpotCheckOneIn <= 0 || draw(lot)%uint64(a.SpotCheckOneIn) != 0
}

// draw returns the pseudorandom number of a lot.
func draw(lot string) uint64 {
	sum := sha256.Sum256([]byte("spot check/" + lot))
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

// Past is what decides about the approval of a submitted record by the policy, beside the record.
type Past struct {
	// Approved: it was approved before, by a person or the policy.
	Approved bool
	// SentBack: a person requested changes or rejected it, and no person has approved it since.
	SentBack bool
	// Lot is the hash of the entry of its first submission.
	Lot string
}

// neverMoved is the revision of a record that was created and submitted, and nothing else.
const neverMoved = 2

// PastOf returns the past of a record that has just been submitted. It reads no history of a
// record that has none.
func PastOf(ctx context.Context, history interface {
	Entries(ctx context.Context, org OrgID, id ID) ([]Entry, error)
}, r Record) (Past, error) {
	var before []Entry
	if r.Rev > neverMoved {
		var err error
		if before, err = history.Entries(ctx, r.Org, r.ID); err != nil {
			return Past{}, fmt.Errorf("has a person decided on it before: read history: %w", err)
		}
	}
	p := Past{Lot: r.Last.Hash}
	// Entries with a later revision are left from failed attempts.
	before = slices.DeleteFunc(slices.Clone(before), func(e Entry) bool { return e.Rev >= r.Rev })
	for _, e := range slices.Backward(before) {
		switch e.Move {
		case Submit:
			p.Lot = e.Hash
		case Approve, AutoApprove:
			p.Approved = true
		case RequestChanges, Reject:
			p.SentBack = p.SentBack || !slices.ContainsFunc(before, func(later Entry) bool { return later.Move == Approve && later.Rev > e.Rev })
		}
	}
	return p, nil
}

// PolicyApproval returns the request by which an organization's policy approves a
// record that has just been submitted, and whether it does. It approves exactly the
// submitted revision. A record that a person has sent back needs a person, because the policy must not
// overrule the reviewer. Under four-eyes control so does one that was approved before,
// because reopening and submitting it again must not restore the approval without one.
func PolicyApproval(p Policy, submitted Record, ev Event, past Past) (Request, bool) {
	if past.SentBack || p.FourEyes && past.Approved {
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
	if err := json.Unmarshal(contribution, &sum); err != nil {
		return Request{}, false
	}
	// The masses beside the total are published too, and can be many times it: the one by contract for electricity from
	// a clean grid that a supplier's factor is for, and biogenic CO2 for wood.
	for _, mass := range []footprint.Mass{sum.Total(), sum.Market(), sum.Biogenic()} {
		if !p.AutoApprove.Approves(past.Lot, mass) {
			return Request{}, false
		}
	}
	return Request{
		Org: submitted.Org, Key: submitted.Key(), Move: AutoApprove, By: p.AutoApprove.By,
		Comment: fmt.Sprintf("Approved by the organization's policy: less than %s kg CO2e.", p.AutoApprove.BelowKg),
		IfMatch: func(r Record) bool { return r.Rev == submitted.Rev },
	}, true
}
