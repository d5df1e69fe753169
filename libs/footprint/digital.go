package footprint

import (
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
)

// digital is the input of a digital record.
type digital struct {
	Country      string           `json:"country,omitempty"`
	Activity     string           `json:"activity"`
	Participants int64            `json:"participants"`
	Hours        *decimal.Decimal `json:"hours"`
	VideoQuality string           `json:"videoQuality,omitempty"`
	common
}

var _ = define("digital",
	digitalDoc(),
	decodeDigital, calculateDigital, chainDigital)

const highDefinition = "hd"

// homeHeating is the activity of heating the homes of remote attendees.
const homeHeating = "home_heating"

// digitalActivities and their rows: those of conferences and streams are of one publisher and include manufacturing
// of devices; homes have heating only.
var digitalActivities = [...]struct{ name, row, unit string }{
	{"conference", "digital.videoconference.hour", "participant_hour"},
	{"streaming", "digital.streaming.hour.ademe", "viewer_hour"},
	{homeHeating, "digital.remote_attendee_home.heating.hour", "person_hour"},
}

func decodeDigital(d *decoder, g *digital) {
	d.Require("activity", "participants", "hours")
	g.Country = d.country(false)
	names := make([]string, 0, len(digitalActivities))
	for _, a := range digitalActivities {
		names = append(names, a.name)
	}
	g.Activity, _ = d.Enum("activity", names...)
	g.Participants, _ = d.Integer("participants", 1, maxPeople)
	g.Hours = d.amount("hours", decimal.FromInt(10_000))
	g.VideoQuality, _ = d.Enum("videoQuality", "sd", highDefinition, "uhd")
	if g.Activity == "streaming" && g.VideoQuality != "" && g.VideoQuality != highDefinition {
		d.Fault(apperr.Detail{Field: "videoQuality", Code: FactorUnavailable, Suggestions: []string{highDefinition},
			Message: "videoQuality must be hd: a factor is published for high definition only."})
	}
}

func (g *digital) complete() bool { return g.Hours != nil && g.Participants > 0 }

func calculateDigital(c *calculation, g *digital) {
	for _, a := range digitalActivities {
		if a.name != g.Activity {
			continue
		}
		f := c.engine.set.Ref(a.row)
		if f == nil {
			break
		}
		switch {
		case g.Activity == "conference":
			c.unused(g.VideoQuality != "", "videoQuality", "The factor of a conference does not distinguish video quality.")
		case g.Activity == homeHeating:
			c.unused(g.VideoQuality != "", "videoQuality", "The heating of homes has no video quality.")
		case g.VideoQuality == "":
			c.defaultTo("videoQuality")
		}
		e := entry{factor: f, quantity: exactly(*g.Hours).multiply(g.Participants), unit: a.unit, scope: 3, geography: c.foreign(f, g.Country), technology: 2}
		if g.Activity == homeHeating {
			c.heated(e)
			return
		}
		category := categoryGoods
		if c.second() && (c.group == "attendees" || c.group == "exhibitors") {
			category = CategoryOptional // their devices and networks, like their journeys
		}
		e.stage, e.category = Combined, category
		c.add(e)
		return
	}
	c.unavailable(apperr.Detail{Field: "activity", Message: "The factor set has no factor for " + g.Activity + "."})
}

// heated adds the heating of homes, in the category of the participants' journeys; for staff, in that of teleworking,
// which the Scope 3 Standard groups with commuting.
func (c *calculation) heated(e entry) {
	e.stage, e.category, e.technology = Direct, c.travel(), 3 // homes while their people work
	if c.group == "staff" {
		e.category = categoryCommuting
	}
	c.add(e)
	c.upstream(e, e.category)
}

// chainDigital reports how the amounts multiply.
func chainDigital(q *Chain, g *digital, _ *Line) {
	q.count(g.Participants, "participant", "participants")
	q.measure(g.Hours, "hour", "hours")
}

// digitalDoc describes the type to its users.
func digitalDoc() doc {
	return doc{
		place:       11,
		bought:      []string{"streaming", "digital"},
		informative: []string{"videoQuality"},
		description: "Video conferences and streams, including devices and networks, and the heating of homes from which people take part.",
		formula:     "participants × hours of each × factor per participant-hour",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"activity", "A conference in which all participants see each other, a stream that is watched, or home_heating: the heating of the homes of remote participants, in addition to a record of either, which includes their devices.", ``},
			{"participants", "People who took part remotely.", ``},
			{"hours", "Hours per participant.", ``},
			{"videoQuality", "Quality of a stream; a factor is published for hd only.", `"hd"`},
		},
		examples: []string{
			`{"activity":"streaming","participants":1500,"hours":6.5,"videoQuality":"hd"}`,
			`{"activity":"conference","participants":40,"hours":1.5}`,
		},
	}
}
