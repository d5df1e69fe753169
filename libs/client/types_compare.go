package client

import (
	"time"
)

// Preview is what the total would be were the whole queue approved.
type Preview struct {
	Breakdown
	// Identifier of the event.
	EventID string `json:"eventId"`
	// The newest result; nil when nothing is approved yet.
	BasedOn *PreviewBase `json:"basedOn,omitempty"`
	// What waits for a decision.
	Queue     PreviewQueue  `json:"queue"`
	Method    Method        `json:"method"`
	FactorSet FactorSetName `json:"factorSet"`
	// Version of the calculation.
	EngineVersion string `json:"engineVersion"`
}

// PreviewBase is the newest result a preview adds to.
type PreviewBase struct {
	// Its revision.
	Revision int `json:"revision"`
	// Whether a change is still missing in it.
	Status string   `json:"status"`
	Total  Interval `json:"total"`
}

// PreviewQueue is what waits for a decision.
type PreviewQueue struct {
	// Records that wait for a decision.
	Records int `json:"records"`
	// Those that have no factor under the event's method; they are not in the figures.
	NotCalculated []string `json:"notCalculated"`
	// What the queue would add, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// ComparisonEnd is one of two results compared.
type ComparisonEnd struct {
	// Revision of the result.
	Revision int `json:"revision"`
	// Its total, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// When it was calculated.
	CalculatedAt time.Time `json:"calculatedAt"`
	Method       Method    `json:"method"`
	// The id of its factor set.
	FactorSet string `json:"factorSet"`
	// Version of the calculation.
	EngineVersion string `json:"engineVersion"`
}

// Comparison reports what led from one result to another.
type Comparison struct {
	// Identifier of the event.
	EventID string        `json:"eventId"`
	From    ComparisonEnd `json:"from"`
	To      ComparisonEnd `json:"to"`
	// The later total less the earlier; negative when it fell. In kg CO2e.
	DifferenceKgCO2e Kilograms `json:"differenceKgCO2e"`
	// The difference by cause and type. They add up to it exactly.
	Parts []ComparisonPart `json:"parts"`
	// The records that moved the total most; the first 100.
	Records []ComparisonRecord `json:"records"`
	// How many records changed in all.
	RecordsChanged int `json:"recordsChanged"`
	// The figures per attendee. The parts of each add up to its difference exactly.
	Figures []ComparisonFigure `json:"figures"`
	// The ends of the interval of the total.
	Intervals []ComparisonFigure `json:"intervals,omitempty"`
	// Scopes and categories of scope 3 that differ.
	Categories []CategoryMove `json:"categories,omitempty"`
	// Why there are revisions between the two; the newer one's own included.
	Cause []Cause `json:"cause"`
}

// ComparisonFigure is how a figure other than the total differs between two results.
type ComparisonFigure struct {
	// Name of the figure in a result.
	Figure string `json:"figure"`
	// The earlier figure; nil where the event stated no attendees or dates. In kg CO2e.
	From *Kilograms `json:"from,omitempty"`
	// The later figure; nil as From is. In kg CO2e.
	To *Kilograms `json:"to,omitempty"`
	// The later less the earlier; nil where either is. In kg CO2e.
	Difference *Kilograms `json:"difference,omitempty"`
	// What each kind of change adds to it.
	Parts []ComparisonFigurePart `json:"parts"`
}

// CategoryMove is a scope, or a category of scope 3, that differs.
type CategoryMove struct {
	// Scope of the GHG Protocol.
	Scope int `json:"scope"`
	// Category of scope 3.
	Category string `json:"category,omitempty"`
	// The earlier figure, in kg CO2e.
	From Kilograms `json:"from"`
	// The later figure, in kg CO2e.
	To Kilograms `json:"to"`
	// The later less the earlier, in kg CO2e.
	DifferenceKgCO2e Kilograms `json:"differenceKgCO2e"`
}

// ComparisonFigurePart is what one kind of change adds to a figure.
type ComparisonFigurePart struct {
	// The kind, as in the parts of the total.
	Kind string `json:"kind"`
	// What it adds; negative when it takes away. In kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// ComparisonPart is a part of the difference, by cause and type.
type ComparisonPart struct {
	// other is of no record: figures from before changes were kept.
	Kind string `json:"kind"`
	// The record type.
	Type string `json:"type"`
	// How many records it is of.
	Records int `json:"records"`
	// What it adds; negative when it takes away. In kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// ComparisonRecord is a record that moved the total.
type ComparisonRecord struct {
	// Identifier of the record.
	ID string `json:"_id"`
	// Its record type.
	Type string `json:"type"`
	// The cause, as in parts.
	Kind string `json:"kind"`
	// What the record counted; nil when it did not. In kg CO2e.
	Before *Kilograms `json:"before,omitempty"`
	// What it counts since; nil when it does not. In kg CO2e.
	After *Kilograms `json:"after,omitempty"`
	// The difference; negative when it fell. In kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// Adoption reports what a change of factors makes of the total.
type Adoption struct {
	// Identifier of the event.
	EventID string        `json:"eventId"`
	From    FactorSetName `json:"from"`
	To      FactorSetName `json:"to"`
	// The arithmetic before.
	FromEngine string `json:"fromEngine"`
	// The arithmetic after.
	ToEngine string `json:"toEngine"`
	// The total under the set the event had; nil when nothing is approved.
	Before *Interval `json:"before"`
	// The result to come.
	After *Breakdown `json:"after"`
	// The total after less the one before, negative when it falls; nil when nothing is approved. In kg CO2e.
	DifferenceKgCO2e *Kilograms `json:"differenceKgCO2e,omitempty"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// Factor is one row of a factor set, per unit. What was not published is nil, never 0.
type Factor struct {
	// Identifier of the row, its year included.
	ID string `json:"id"`
	// The id without its year.
	Series string `json:"series"`
	// Group of activities, as its source has it.
	Category string `json:"category"`
	// What it is a factor of.
	Activity string `json:"activity"`
	// The kind of it; empty when there is none.
	Detail string `json:"detail"`
	// The unit of quantity it is for.
	Unit string `json:"unit"`
	// All gases together, in kg CO2e per unit.
	KgCO2e float64 `json:"kgCO2e"`
	// Carbon dioxide, in kg CO2e per unit.
	CO2 *float64 `json:"co2,omitempty"`
	// Methane, as CO2e, in kg CO2e per unit.
	CH4 *float64 `json:"ch4,omitempty"`
	// Nitrous oxide, as CO2e, in kg CO2e per unit.
	N2O *float64 `json:"n2o,omitempty"`
	// Published apart and added, in kg CO2e per unit.
	WellToTank *float64 `json:"wellToTank,omitempty"`
	// Where it holds.
	Region string `json:"region"`
	// Of the figure; nil when its source is undated.
	Year *int `json:"year,omitempty"`
	// A row of another edition than the set's.
	Fallback bool `json:"fallback"`
	// The publication.
	Source string `json:"source"`
	// Sheet, table or row in it.
	SourceLocation string `json:"sourceLocation"`
	// The licence of the publication.
	Licence string `json:"licence"`
	// The day after which a newer figure should be looked for.
	BestBefore string `json:"bestBefore,omitempty"`
}

// FactorSet is an edition of emission factors.
type FactorSet struct {
	// Identifier of the set.
	ID string `json:"id"`
	// Year of the edition.
	Year int `json:"year"`
	// SHA-256 of the set; results name it.
	Version string `json:"version"`
	// Number of rows.
	Factors int `json:"factors"`
	// Where its rows come from.
	Sources []SourceShare `json:"sources"`
	// The lines to show beside figures made with the set.
	Attributions []string `json:"attributions"`
	// Where the set comes from; nil for a built-in set.
	Pack *FactorPack `json:"pack,omitempty"`
}

// FactorPack is a factor set that operators have added.
type FactorPack struct {
	// Name of the pack; the ID of the set is the name and the release.
	Name string `json:"name"`
	// Number of the release. A release never changes.
	Release int `json:"release"`
	// What the pack holds.
	Title string `json:"title"`
	// Who publishes its figures.
	Publisher string `json:"publisher"`
	// The built-in set whose rows count where the pack has none; empty for a pack
	// that is complete by itself.
	Base string `json:"base,omitempty"`
	// The built-in sets to look in for what is lacking after that, in this order.
	StandIns []string `json:"standIns"`
	// How many of the rows are the pack's own.
	Rows int `json:"rows"`
	// The operator took the pack without a signature.
	Unsigned bool `json:"unsigned"`
	// Thumbprint (RFC 7638) of the key that signed the pack; empty for an unsigned one.
	SignedBy string `json:"signedBy,omitempty"`
}

// SourceShare is one source of a factor set.
type SourceShare struct {
	// The publication.
	Source string `json:"source"`
	// Its licence.
	Licence string `json:"licence"`
	// How many rows are from it.
	Factors int `json:"factors"`
}
