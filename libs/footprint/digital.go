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

// digitalActivities and their rows, both of one publisher and with the making
// of devices.
var digitalActivities = [...]struct{ name, row, unit string }{
	{"conference", "digital.videoconference.hour", "participant_hour"},
	{"streaming", "digital.streaming.hour.ademe", "viewer_hour"},
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
			Message: "A factor is published for high definition only."})
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
		case g.VideoQuality == "":
			c.defaultTo("videoQuality")
		}
		category := categoryGoods
		if c.second() && (c.group == "attendees" || c.group == "exhibitors") {
			category = CategoryOptional // their devices and networks, as their journeys would be
		}
		c.add(entry{factor: f, quantity: exactly(*g.Hours).multiply(g.Participants), unit: a.unit, stage: Combined, scope: 3, category: category,
			geography: c.foreign(f, g.Country), technology: 2})
		return
	}
	c.unavailable(apperr.Detail{Field: "activity", Message: "The factor set has no factor for " + g.Activity + "."})
}

// chainDigital reports how the amounts multiply.
func chainDigital(q *Chain, g *digital, _ *Line) {
	q.count(g.Participants, "participant", "participants")
	q.amount(g.Hours, "hours")
}

// digitalDoc describes the type to its users.
func digitalDoc() doc {
	return doc{
		place:       11,
		bought:      []string{"streaming", "digital"},
		description: "Video conferences and streams, devices and networks included.",
		formula:     "participants × hours of each × factor per participant-hour",
		fields: []fieldDoc{
			{"country", "Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of the factor a proxy stands in, which is noticed.", ``},
			{"activity", "A conference in which all see each other, or a stream that is watched.", ``},
			{"participants", "People who took part from afar.", ``},
			{"hours", "Hours of each participant.", ``},
			{"videoQuality", "Quality of a stream; a factor is published for hd only.", `"hd"`},
		},
		examples: []string{
			`{"activity":"streaming","participants":1500,"hours":6.5,"videoQuality":"hd"}`,
			`{"activity":"conference","participants":40,"hours":1.5}`,
		},
	}
}
