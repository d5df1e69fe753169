package footprint

import (
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
)

// EventContext is the part of an event that affects its figures.
type EventContext struct {
	Country          string // ISO 3166-1 alpha-2, or empty
	StartDate        string // YYYY-MM-DD, or empty
	EndDate          string // YYYY-MM-DD, inclusive, or empty
	Attendees        int64  // in person; 0: not stated
	RadiativeForcing bool
	GWP              string // "published" or "AR6"
	FactorSet        string
	// Place is the place of the event, the destination of attendees.
	Place Venue `json:",omitzero" bson:",omitempty"`
	// Engine is the engine that the event is pinned to; empty means
	// EngineVersion.
	Engine string `json:",omitempty" bson:",omitempty"`
}

// EngineVersion returns the engine of the event.
func (ev EventContext) EngineVersion() string {
	if ev.Engine == "" {
		return EngineVersion
	}
	return ev.Engine
}

// Days returns how many days the event lasts, the first and the last included; 0 if it does not state them.
func (ev EventContext) Days() int64 {
	start, err := time.Parse(time.DateOnly, ev.StartDate)
	if err != nil {
		return 0
	}
	end, err := time.Parse(time.DateOnly, ev.EndDate)
	if err != nil || end.Before(start) {
		return 0
	}
	return int64(end.Sub(start)/(24*time.Hour)) + 1
}

// Set returns the factor set of the event: the one it names, or the one for its
// start date. The error wraps factors.ErrNotHeld if there is no such set;
// any other error means that the store of packs is unavailable.
func (ev EventContext) Set() (*factors.Set, error) {
	if ev.FactorSet == "" {
		set, _ := factors.ForStart(ev.StartDate)
		return set, nil
	}
	set, err := factors.ByID(ev.FactorSet)
	if err != nil {
		return nil, fmt.Errorf("footprint: the set of the event: %w", err)
	}
	return set, nil
}

// Notice explains an aspect of a figure.
type Notice struct {
	Code        string   `json:"code" bson:"code"`
	Message     string   `json:"message" bson:"message"`
	Field       string   `json:"field,omitempty" bson:"field,omitempty"`
	Suggestions []string `json:"suggestions,omitempty" bson:"suggestions,omitempty"`
	// WouldNarrowTo names the field that would narrow the interval of the record most; it is on the notice of the
	// assumption that the field would replace.
	WouldNarrowTo *Narrowing `json:"wouldNarrowTo,omitempty" bson:"-"`
}
