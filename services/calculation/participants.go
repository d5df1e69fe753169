package calculation

import (
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// participantsView relates the footprint to all participants. Digital records count for remote ones, all others for
// those on site. A figure is null if the event does not state the required numbers.
type participantsView struct {
	InPerson int64 `json:"inPerson"`
	Virtual  int64 `json:"virtual"`
	// PerParticipantKg is the total per participant.
	PerParticipantKg    *footprint.Mass `json:"perParticipantKg"`
	PerParticipantDayKg *footprint.Mass `json:"perParticipantDayKg"`
	PerInPersonKg       *footprint.Mass `json:"perInPersonKg"`
	PerVirtualKg        *footprint.Mass `json:"perVirtualKg"`
}

// participantsOf returns the figures by the event's current numbers; nil if it states none.
func participantsOf(ev record.Event, b total.Breakdown) *participantsView {
	var v participantsView
	if ev.Attendees != nil {
		v.InPerson = *ev.Attendees
	}
	if ev.VirtualAttendees != nil {
		v.Virtual = *ev.VirtualAttendees
	}
	if v.InPerson+v.Virtual <= 0 {
		return nil
	}
	var digital footprint.Mass
	for _, t := range b.ByType {
		if t.Type == "digital" {
			digital = t.KgCO2e
		}
	}
	whole := b.Total.KgCO2e
	per := func(m footprint.Mass, n int64) *footprint.Mass {
		if n <= 0 {
			return nil
		}
		share := m.Share(1, n)
		return &share
	}
	v.PerParticipantKg = per(whole, v.InPerson+v.Virtual)
	v.PerParticipantDayKg = per(whole, (v.InPerson+v.Virtual)*ev.Context().Days())
	v.PerInPersonKg, v.PerVirtualKg = per(whole.Sub(digital), v.InPerson), per(digital, v.Virtual)
	return &v
}
