package record

import "math/big"

// Loosening is what of a change of a policy under four eyes takes a second administrator.
type Loosening struct {
	// FourEyes is whether four eyes stay on.
	FourEyes bool `json:"fourEyes,omitempty"`
	// NoReason: reasons are no longer required.
	NoReason bool `json:"noReason,omitempty"`
	// AutoApproveBelowKg and SpotCheckOneIn are the proposed automatic approval, if it approves more than the current
	// one; else empty and 0.
	AutoApproveBelowKg string `json:"autoApproveBelowKg,omitempty"`
	SpotCheckOneIn     int64  `json:"spotCheckOneIn,omitempty"`
}

// LooseningOf returns what of the change of a policy takes a second administrator, and
// whether anything does: switching four eyes off and, under four eyes, requiring no reasons
// any more, or automatic approval that is switched on, has a higher limit or checks fewer records.
func LooseningOf(was, is Policy) (Loosening, bool) {
	if !was.FourEyes {
		return Loosening{}, false
	}
	l := Loosening{FourEyes: is.FourEyes, NoReason: was.RequireReason && !is.RequireReason}
	more := is.AutoApprove.loosens(was.AutoApprove)
	if more {
		l.AutoApproveBelowKg, l.SpotCheckOneIn = is.AutoApprove.BelowKg.String(), is.AutoApprove.SpotCheckOneIn
	}
	return l, more || l.NoReason || !is.FourEyes
}

// loosens reports whether a record may be approved that was not before.
func (a AutoApproval) loosens(was AutoApproval) bool {
	if !a.On() || !was.On() {
		return a.On()
	}
	fewer := was.SpotCheckOneIn > 0 && (a.SpotCheckOneIn <= 0 || a.SpotCheckOneIn > was.SpotCheckOneIn)
	below, ok := new(big.Rat).SetString(a.BelowKg.String())
	before, known := new(big.Rat).SetString(was.BelowKg.String())
	return fewer || !ok || !known || below.Cmp(before) > 0
}
