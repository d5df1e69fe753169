package records

import (
	"net/http"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/record"
)

// With four-eyes control, a loosening of the policy applies once a second administrator makes the same change within
// seven days; a change by only one of them does not.
func TestTwoAdministratorsLoosenAPolicy(t *testing.T) {
	t.Parallel()
	ada, alan := record.Actor{ID: "ada"}, record.Actor{ID: "alan"}
	below := func(kg int64) func(*record.Policy) {
		return func(p *record.Policy) { p.AutoApprove.BelowKg = decimal.FromInt(kg) }
	}
	off := func(p *record.Policy) { p.FourEyes = false }
	noReason := func(p *record.Policy) { p.RequireReason = false }
	type ask struct {
		by     record.Actor
		after  time.Duration
		change func(*record.Policy)
		want   int
	}
	for name, asked := range map[string][]ask{
		"two":                     {{ada, 0, below(9), 202}, {alan, time.Hour, below(9), 200}},
		"one twice":               {{ada, 0, below(9), 202}, {ada, time.Hour, below(9), 202}},
		"two with different ones": {{ada, 0, below(9), 202}, {alan, time.Hour, below(10), 202}, {ada, time.Hour, below(10), 200}},
		"one of each":             {{ada, 0, below(9), 202}, {alan, time.Hour, off, 202}, {ada, time.Hour, off, 200}},
		"just in time":            {{ada, 0, off, 202}, {alan, 7 * 24 * time.Hour, off, 200}},
		"too late":                {{ada, 0, off, 202}, {alan, 7*24*time.Hour + time.Millisecond, off, 202}, {ada, time.Hour, off, 200}},
		"no reasons":              {{ada, 0, noReason, 202}, {ada, time.Hour, noReason, 202}, {alan, time.Hour, noReason, 200}},
		"no reasons and no eyes":  {{ada, 0, noReason, 202}, {alan, time.Hour, off, 202}, {ada, time.Hour, off, 200}, {alan, 0, noReason, 200}},
		"tightened in between":    {{ada, 0, below(9), 202}, {ada, time.Hour, below(4), 200}, {alan, time.Hour, below(9), 202}},
	} {
		now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
		s := &server{}
		s.Now = func() time.Time { return now }
		o := record.Organization{Rev: 1, Policy: record.Policy{FourEyes: true, RequireReason: true, AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(5)}}}
		for i, a := range asked {
			now = now.Add(a.after)
			was := o
			a.change(&o.Policy)
			status := s.governPolicy(was, &o, a.by)
			if status != a.want {
				t.Errorf("%s, request %d: %d, want %d", name, i, status, a.want)
			}
			applied := o.Policy.FourEyes != was.Policy.FourEyes || o.Policy.RequireReason != was.Policy.RequireReason || o.Policy.AutoApprove.BelowKg != was.Policy.AutoApprove.BelowKg
			if applied != (status == http.StatusOK) || applied && o.Pending != nil {
				t.Errorf("%s, request %d: %d, %+v, pending %+v", name, i, status, o.Policy, o.Pending)
			}
			o.Rev++
		}
	}
}
