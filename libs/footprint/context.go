package footprint

// EventContext is what of an event moves its numbers.
type EventContext struct {
	Country          string // ISO 3166-1 alpha-2, or empty
	StartDate        string // YYYY-MM-DD, or empty
	EndDate          string // YYYY-MM-DD, inclusive, or empty
	Attendees        int64  // in person; 0: not said
	RadiativeForcing bool
	GWP              string // "published" or "AR6"
	FactorSet        string
}

// Notice tells a person something about how a figure came about.
type Notice struct {
	Code        string   `json:"code" bson:"code"`
	Message     string   `json:"message" bson:"message"`
	Field       string   `json:"field,omitempty" bson:"field,omitempty"`
	Suggestions []string `json:"suggestions,omitempty" bson:"suggestions,omitempty"`
}
