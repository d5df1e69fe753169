package record_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/record"
)

func policyBelow(fourEyes bool, kg, oneIn int64) record.Policy {
	return record.Policy{FourEyes: fourEyes, AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(kg), SpotCheckOneIn: oneIn}}
}

func reasons(p record.Policy) record.Policy {
	p.RequireReason = true
	return p
}

// With four-eyes control, a policy change that approves more automatically, or requires no reasons any more, needs a
// second administrator; one that approves less does not.
func TestWhatLoosensAPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was, is record.Policy
		want    record.Loosening
		second  bool
	}{
		"four eyes off":               {policyBelow(true, 5, 2), policyBelow(false, 5, 2), record.Loosening{}, true},
		"four eyes off, and more":     {policyBelow(true, 5, 2), policyBelow(false, 6, 2), record.Loosening{AutoApproveBelowKg: "6", SpotCheckOneIn: 2}, true},
		"switched on":                 {policyBelow(true, 0, 0), policyBelow(true, 5, 2), record.Loosening{FourEyes: true, AutoApproveBelowKg: "5", SpotCheckOneIn: 2}, true},
		"raised":                      {policyBelow(true, 9, 0), policyBelow(true, 10, 0), record.Loosening{FourEyes: true, AutoApproveBelowKg: "10"}, true},
		"fewer checks":                {policyBelow(true, 5, 2), policyBelow(true, 5, 3), record.Loosening{FourEyes: true, AutoApproveBelowKg: "5", SpotCheckOneIn: 3}, true},
		"no checks":                   {policyBelow(true, 5, 2), policyBelow(true, 5, 0), record.Loosening{FourEyes: true, AutoApproveBelowKg: "5"}, true},
		"lowered, with fewer checks":  {policyBelow(true, 5, 2), policyBelow(true, 4, 3), record.Loosening{FourEyes: true, AutoApproveBelowKg: "4", SpotCheckOneIn: 3}, true},
		"lowered":                     {was: policyBelow(true, 10, 2), is: policyBelow(true, 9, 2)},
		"more checks":                 {was: policyBelow(true, 5, 3), is: policyBelow(true, 5, 2)},
		"checks where there was none": {was: policyBelow(true, 5, 0), is: policyBelow(true, 5, 100)},
		"switched off":                {was: policyBelow(true, 5, 3), is: policyBelow(true, 0, 0)},
		"without four eyes":           {was: policyBelow(false, 0, 0), is: policyBelow(true, 5, 0)},
		"no reasons":                  {reasons(policyBelow(true, 5, 2)), policyBelow(true, 5, 2), record.Loosening{FourEyes: true, NoReason: true}, true},
		"no reasons, nor four eyes":   {reasons(policyBelow(true, 5, 2)), policyBelow(false, 5, 2), record.Loosening{NoReason: true}, true},
		"reasons":                     {was: policyBelow(true, 5, 2), is: reasons(policyBelow(true, 5, 2))},
		"no reasons, no four eyes":    {was: reasons(policyBelow(false, 5, 2)), is: policyBelow(false, 5, 2)},
	} {
		got, second := record.LooseningOf(c.was, c.is)
		if second != c.second || second && got != c.want {
			t.Errorf("%s: %+v %t", name, got, second)
		}
	}
}

// An older version, which knows only proposals to switch four-eyes control off, finds no other kind in their place.
func TestALooseningIsNotStoredAsFourEyesOff(t *testing.T) {
	t.Parallel()
	for fourEyes, key := range map[bool]string{true: `"pendingLoosening":{`, false: `"pending":{`} {
		var o, read record.Organization
		o.Pending = &record.PolicyProposal{Loosening: record.Loosening{FourEyes: fourEyes, AutoApproveBelowKg: "5"}}
		text, err := o.EncodePolicy()
		if err == nil {
			err = read.DecodePolicy(text)
		}
		if err != nil || !strings.Contains(text, key) || strings.Count(text, "pending") != 1 || read.Pending == nil || *read.Pending != *o.Pending {
			t.Errorf("four eyes %t: %s, %v", fourEyes, text, err)
		}
		if !json.Valid([]byte(text)) {
			t.Error(text)
		}
	}
}
