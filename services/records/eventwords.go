package records

import (
	"sync"

	"github.com/eventcarbon/ecf/libs/fields"
)

// eventWords are what people call the fields of an event, in English and German.
var eventWords = map[string][]string{
	"title":             {"name", "event", "event name", "event title", "Titel", "Bezeichnung", "Veranstaltung"},
	"startDate":         {"start", "from", "date", "date from", "begin", "first day", "Beginn", "Datum", "Startdatum", "von"},
	"endDate":           {"end", "to", "until", "date to", "last day", "Ende", "Enddatum", "bis"},
	"attendees":         {"participants", "delegates", "visitors", "guests", "people", "pax", "headcount", "number of attendees", "attendee count", "Teilnehmer", "Teilnehmende", "Teilnehmerzahl", "Besucher", "Gäste"},
	"virtualAttendees":  {"online attendees", "online participants", "remote attendees", "remote participants", "online", "remote", "virtual", "Teilnehmer online", "Online-Teilnehmer"},
	"country":           {"country code", "Land"},
	"place":             {"city", "town", "venue", "address", "postcode", "Ort", "Stadt", "Veranstaltungsort", "Adresse", "PLZ"},
	"timezone":          {"tz", "Zeitzone"},
	"description":       {"notes", "comment", "summary", "Beschreibung", "Notiz"},
	"externalReference": {"reference", "ref", "external id", "event id", "Referenz"},
}

// eventFields holds the fields of an event by the folded words for them.
var eventFields = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for field, words := range eventWords {
		for _, word := range words {
			out[fields.FoldName(word)] = []string{field}
		}
	}
	return out
})

// eventFieldsNamed returns the fields of an event, not of an object in it, that a folded word means.
func eventFieldsNamed(path, name string) []string {
	if path != "" {
		return nil
	}
	return eventFields()[name]
}
