package calculation

import (
	"context"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// Effect is what a change of an event does to its published figures.
type Effect struct {
	// Before and After are null if nothing is approved, and After for a deletion.
	Before *EffectFigures `json:"before"`
	After  *EffectFigures `json:"after"`
	// Difference is that of the total; null where one of them is.
	Difference *footprint.Mass `json:"differenceKgCO2e"`
	// BasedOn is the revision of the result it is based on; 0 for none.
	BasedOn int64 `json:"basedOnRevision"`
}

// EffectFigures are the figures that a change of the event can affect.
type EffectFigures struct {
	Total            total.Interval  `json:"total"`
	PerAttendeeKg    *footprint.Mass `json:"perAttendeeKg"`
	PerAttendeeDayKg *footprint.Mass `json:"perAttendeeDayKg"`
	// PerParticipantKg is the total per participant, remote ones included.
	PerParticipantKg *footprint.Mass `json:"perParticipantKg"`
}

// effectOf calculates the effect of a change from before to after on the counted records of an event, as a dry run of
// an adoption does: from the records themselves, not by comparing figures. The error for the client names records
// without a factor after the change.
func (s *server) effectOf(ctx context.Context, before, after record.Event) (Effect, error) {
	result, err := s.resultOrNone(ctx, before.Org, before.ID)
	if err != nil || result.Version == 0 {
		return Effect{}, err
	}
	sums, err := s.reader.SumUnder(ctx, before, after.Context())
	if err != nil {
		return Effect{}, err
	}
	effect := Effect{BasedOn: result.Revision}
	if sums.Now.Records()+sums.Next.Records()+int64(len(sums.Faults)) == 0 {
		return effect, nil
	}
	if len(sums.Faults) > 0 && !after.Deleted {
		return effect, apperr.Invalid(sums.Faults...)
	}
	effect.Before = effectFigures(sums.Now, before)
	if after.Deleted {
		return effect, nil
	}
	effect.After = effectFigures(sums.Next, after)
	difference := effect.After.Total.KgCO2e.Sub(effect.Before.Total.KgCO2e)
	effect.Difference = &difference
	return effect, nil
}

func effectFigures(sum total.Contribution, ev record.Event) *EffectFigures {
	b := sum.Breakdown(ev.Context())
	f := &EffectFigures{Total: b.Total, PerAttendeeKg: b.PerAttendeeKg, PerAttendeeDayKg: b.PerAttendeeDayKg}
	if p := participantsOf(ev, b); p != nil {
		f.PerParticipantKg = p.PerParticipantKg
	}
	return f
}
