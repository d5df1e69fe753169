package client

import (
	"encoding/json"
	"time"
)

// Result is the footprint of an event.
type Result struct {
	Breakdown
	// Identifier of the event.
	EventID string `json:"eventId"`
	// Rises each time the result changes.
	Revision int `json:"revision"`
	// recalculating: a change is not in it yet. superseded: a newer revision has replaced it.
	Status string `json:"status"`
	// Number of records by status, now. Only with the newest result.
	Counts *Counts `json:"counts,omitempty"`
	Method Method  `json:"method"`
	// The factors it was calculated with.
	FactorSet FactorSetName `json:"factorSet"`
	// Version of the calculation.
	EngineVersion string `json:"engineVersion"`
	// Hash over all that was counted.
	InputsHash string `json:"inputsHash"`
	// When it was calculated.
	CalculatedAt time.Time `json:"calculatedAt"`
	// Why this revision differs from the one before it: one entry for each action of each person, oldest first, at
	// most 20.
	Cause []Cause `json:"cause"`
	// What looks wrong with the records as a whole, warnings first. Only with the newest result; it changes no
	// figure.
	Findings []Finding `json:"findings"`
	// What to measure next: the records with the largest shares of the variance of the total, largest first. A
	// measured figure there narrows the interval most. Only with the newest result, and of events of up to 20,000
	// counted records; the share of every record of any event is in …/results/explain.
	MeasureNext []MeasureNext `json:"measureNext"`
	// The footprint in the rows of standards.
	Tables []StandardTable `json:"tables,omitempty"`
	// Figures by who takes part, of the newest result only.
	Participants *Participants `json:"participants,omitempty"`
	// What the event states to have offset or removed; of the newest result only. No figure has it subtracted.
	Compensation *CompensationSums `json:"compensation,omitempty"`
}

// Cause is one reason for which a revision of a result exists.
type Cause struct {
	// The move of the records (approve, auto-approve, reopen), update-event, adopt-factor-set or new-engine.
	// unknown: from before causes were kept. other counts what is beyond the first 20.
	Action string `json:"action"`
	// Who did it; nil where that is not known.
	By *Actor `json:"by,omitempty"`
	// When, for several the last; nil where that is not known.
	At *time.Time `json:"at,omitempty"`
	// The comment given with it; empty for none.
	Comment string `json:"comment"`
	// Fields of the event that changed.
	Fields []string `json:"fields,omitempty"`
	// How many changes of records it is of.
	Records int `json:"records"`
	// The first 100 of these records.
	RecordIDs []string `json:"recordIds"`
}

// Counts are the numbers of records by status, now.
type Counts struct {
	// Records that count.
	Approved int `json:"approved"`
	// Records that wait for review.
	Submitted int `json:"submitted"`
	// Records that somebody is reviewing.
	InReview int `json:"inReview"`
	// Records sent back to be changed.
	ChangesRequested int `json:"changesRequested"`
	// Records that never count.
	Rejected int `json:"rejected"`
	// Drafts.
	Unsubmitted int `json:"unsubmitted"`
}

// FactorSetName names a factor set, with its checksum.
type FactorSetName struct {
	// Identifier of the set.
	ID string `json:"id"`
	// Checksum of the set.
	Version string `json:"version"`
}

// Breakdown holds the figures of a result. Parts equal totals to the last digit.
type Breakdown struct {
	Total Interval `json:"total"`
	// Total ÷ attendees in person; nil when these are not known. In kg CO2e.
	PerAttendeeKg *Kilograms `json:"perAttendeeKg,omitempty"`
	// Total ÷ attendees and days; nil when these are not known. In kg CO2e per person and day.
	PerAttendeeDayKg *Kilograms `json:"perAttendeeDayKg,omitempty"`
	// By record type; types without records are left out.
	ByType []TypePart `json:"byType"`
	// The scopes of the GHG Protocol.
	ByScope ByScope `json:"byScope"`
	// By group of people.
	ByGroup []GroupPart `json:"byGroup"`
	// Scope 3 by category of the GHG Protocol.
	ByScope3Category []CategoryPart `json:"byScope3Category"`
	// Combustion or generation (direct), what comes before it (upstream), and factors published as one life-cycle
	// figure (combined).
	ByStage ByStage `json:"byStage"`
	// In kg CO2e. unsplit is what is published without its gases.
	ByGas ByGas `json:"byGas"`
	// Not in the total.
	OutsideScopes OutsideScopes `json:"outsideScopes"`
	// Electricity by contract. It stands beside the total, which is location-based.
	MarketBased *MarketBased `json:"marketBased,omitempty"`
	// The total without the flights of attendees, in kg CO2e.
	ExcludingAttendeeTravelKg *Kilograms `json:"excludingAttendeeTravelKg,omitempty"`
	// The part of the total by which surveys were scaled up, in kg CO2e.
	ExtrapolatedKg *Kilograms `json:"extrapolatedKg,omitempty"`
	// Shares of the total; together 1.
	DataQuality QualityShares `json:"dataQuality"`
	// What to know about the figures as a whole.
	Notices []Notice `json:"notices"`
}

// TypePart is the part of the total of one record type.
type TypePart struct {
	// The record type.
	Type string `json:"type"`
	// How many records it is of.
	Records int `json:"records"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
}

// ByScope splits the total by the scopes of the GHG Protocol.
type ByScope struct {
	// Direct emissions of what the organizer runs, in kg CO2e.
	Scope1 Kilograms `json:"scope1"`
	// Purchased electricity and heat, location-based, in kg CO2e.
	Scope2 Kilograms `json:"scope2"`
	// All others, in kg CO2e.
	Scope3 Kilograms `json:"scope3"`
}

// GroupPart is the part of the total of one group of people.
type GroupPart struct {
	// unspecified for records that name none.
	Group string `json:"group"`
	// How many records it is of.
	Records int `json:"records"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
}

// CategoryPart is the part of the total of one category of scope 3.
type CategoryPart struct {
	// Number and name of the category.
	Category string `json:"category"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// ByStage splits the total by stage of the life cycle.
type ByStage struct {
	// From burning and generating, in kg CO2e.
	Direct Kilograms `json:"direct"`
	// From what comes before it, such as well-to-tank, in kg CO2e.
	Upstream Kilograms `json:"upstream"`
	// Of factors published as one life-cycle figure, in kg CO2e.
	Combined Kilograms `json:"combined"`
}

// ByGas splits the total by gas.
type ByGas struct {
	// Carbon dioxide, in kg CO2e.
	CO2 Kilograms `json:"co2"`
	// Methane, in kg CO2e.
	CH4 Kilograms `json:"ch4"`
	// Nitrous oxide, in kg CO2e.
	N2O Kilograms `json:"n2o"`
	// Effects of flights at altitude, in kg CO2e.
	AviationNonCO2 Kilograms `json:"aviationNonCO2"`
	// Published without its gases, in kg CO2e.
	Unsplit Kilograms `json:"unsplit"`
}

// OutsideScopes is what is not in the total.
type OutsideScopes struct {
	// CO2 from burning biogenic material, reported apart, in kg CO2.
	BiogenicCO2Kg Kilograms `json:"biogenicCO2Kg"`
}

// MarketBased is electricity by contract. It stands beside the total, which is location-based.
type MarketBased struct {
	// Electricity by contract, in kg CO2e.
	KgCO2e *Kilograms `json:"kgCO2e,omitempty"`
	// Electricity under a renewable contract, in kWh.
	CoveredKWh *float64 `json:"coveredKWh,omitempty"`
	// Electricity counted with the residual mix, in kWh.
	ResidualMixKWh *float64 `json:"residualMixKWh,omitempty"`
	// Electricity counted with the average of the grid, where there is no residual mix, in kWh.
	GridAverageKWh *float64 `json:"gridAverageKWh,omitempty"`
	// The same kilowatt-hours by location and by contract, within one boundary.
	ByScope *MarketByScope `json:"byScope,omitempty"`
	// Grid losses and the supply of fuels, which both figures have beside them. In kg CO2e.
	UpstreamKg *Kilograms `json:"upstreamKg,omitempty"`
	// The dual report of scope 2, heat and electric vehicles included.
	Scope2 *DualScope `json:"scope2,omitempty"`
}

// MarketByScope compares electricity in the organiser's control (scope 2) and all other (scope 3).
type MarketByScope struct {
	Scope2 DualScope `json:"scope2"`
	Scope3 DualScope `json:"scope3"`
}

// DualScope is one amount by both methods of the GHG Protocol's Scope 2 Guidance.
type DualScope struct {
	// With the average of the grid, in kg CO2e.
	LocationBasedKg Kilograms `json:"locationBasedKg"`
	// By contract, in kg CO2e.
	MarketBasedKg Kilograms `json:"marketBasedKg"`
}

// QualityShares are shares of the total; together 1.
type QualityShares struct {
	// Share of the total from measured amounts, in share of 1.
	MeasuredShare float64 `json:"measuredShare"`
	// Share from calculated amounts, in share of 1.
	CalculatedShare float64 `json:"calculatedShare"`
	// Share from estimated amounts, in share of 1.
	EstimatedShare float64 `json:"estimatedShare"`
	// Share from assumed amounts, in share of 1.
	AssumedShare float64 `json:"assumedShare"`
	// Share by which surveys were scaled up, in share of 1.
	ExtrapolatedShare float64 `json:"extrapolatedShare"`
}

// Interval is an amount with the ends of its 95 % interval. The ends do not add up over parts; kgCO2e
// does.
type Interval struct {
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
}

// Finding is something that looks wrong. It changes no figure.
type Finding struct {
	// SUPPLIER_FACTOR_NOT_VALID, SUPPLIER_FACTOR_WITHDRAWN, DUPLICATE_FLIGHT, DUPLICATE_RECORD, INCLUDED_TYPE_WITHOUT_RECORDS, EXPECTED_COMPANION_MISSING, END_OF_LIFE_TWICE, SITE_ENERGY_TWICE, ROOM_NIGHTS_EXCEED_ATTENDEES,
	// PASSENGERS_EXCEED_ATTENDEES, PURCHASE_OVERLAPS_RECORDS, EXCLUDED_TYPE_COUNTED, OUTBOUND_WITHOUT_RETURN,
	// LARGE_WITHOUT_DATE_OR_GROUP, OUT_OF_RANGE_FOR_TYPE, or CROSS_CHECKS_LEFT_OUT in an event of more than 20,000 counted records.
	Code string `json:"code"`
	// warning: the total is probably wrong.
	Severity string `json:"severity"`
	// What was found, for people.
	Message string `json:"message"`
	// The records it is about; the first 50.
	RecordIDs []string `json:"recordIds"`
	// How many records it is about.
	Records int `json:"records"`
}

// MeasureNext is a record whose better measurement would narrow the interval.
type MeasureNext struct {
	// Identifier of the record.
	RecordID string `json:"recordId"`
	// Its record type.
	Type string `json:"type"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High          Kilograms `json:"high"`
	VarianceShare float64   `json:"varianceShare"`
}

// Line is one product of a quantity and a factor, rounded once to a milligram.
type Line struct {
	// A row of the factor set, or supplied for a figure that came with the record.
	FactorID string `json:"factorId"`
	// The exact amount in unit; one that does not end is shown with twelve decimals.
	Quantity string `json:"quantity"`
	// Unit of quantity.
	Unit string `json:"unit"`
	// The factor, in kg CO2e per unit.
	KgCO2ePerUnit float64 `json:"kgCO2ePerUnit"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
	// Part of the life cycle, as in byStage.
	Stage string `json:"stage"`
	// Scope of the GHG Protocol.
	Scope int `json:"scope"`
	// Category of scope 3, where it is in scope 3.
	Scope3Category string `json:"scope3Category,omitempty"`
	// Whose activity it is.
	Group string `json:"group"`
	// The amount by gas, as in byGas of a result.
	ByGas map[string]Kilograms `json:"byGas"`
	// How the amount is known.
	DataQuality string `json:"dataQuality"`
	// Pedigree scores, 1 (best) to 5: reliability, completeness, time, geography, technology.
	Scores []int `json:"scores"`
	// The factor of the 95 % interval, in millionths.
	GSD2Millionths int `json:"gsd2Millionths"`
	// The part of a way that a line of attendee travel is of; nil else.
	Leg *Leg `json:"leg,omitempty"`
}

// Leg is the part of a way that a line of attendee travel is of.
type Leg struct {
	// Where the people come from.
	Origin string `json:"origin"`
	// How they came.
	Mode string `json:"mode"`
	// Which part of the way.
	Part string `json:"part"`
	// How many people.
	People int `json:"people"`
}

// ExplainedRecord is a counted record, line by line.
type ExplainedRecord struct {
	// Identifier of the record.
	ID string `json:"_id"`
	// Its record type.
	Type string `json:"type"`
	// The revision that was calculated.
	Revision int `json:"revision"`
	// When the record was made.
	CreatedAt time.Time `json:"createdAt"`
	// The input that was calculated.
	Fields json.RawMessage `json:"fields"`
	// How records of the type are calculated.
	Method string `json:"method"`
	// The amount, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
	// Each product of a quantity and a factor. They add up to kgCO2e.
	Lines []ExplainedLine `json:"lines"`
	// How many lines there are where Lines has the first ones alone; 0 else.
	LinesInAll int `json:"linesInAll,omitempty"`
	// Fields that were absent and took their default.
	Defaulted []string `json:"defaulted"`
	// What to know about the figure.
	Notices       []Notice `json:"notices"`
	VarianceShare float64  `json:"varianceShare"`
}

// ExplainedLine is a line in words, with its source.
type ExplainedLine struct {
	Line
	// The line in words and figures.
	Formula string `json:"formula"`
	// Where the figure was published; nil for one that came with the record.
	Factor *FactorSource `json:"factor,omitempty"`
}

// FactorSource says where a figure was published.
type FactorSource struct {
	// What it is a factor of.
	Activity string `json:"activity,omitempty"`
	// The kind of it.
	Detail string `json:"detail,omitempty"`
	// Where it holds.
	Region string `json:"region,omitempty"`
	// Year of the figure; nil when its source is undated.
	Year *int `json:"year,omitempty"`
	// The publication.
	Source string `json:"source,omitempty"`
	// Sheet, table or row in it.
	SourceLocation string `json:"sourceLocation,omitempty"`
	// The licence of the publication.
	Licence string `json:"licence,omitempty"`
}

// StandardTable is a footprint in the rows of one standard.
type StandardTable struct {
	// ghg-protocol, iso-14064-1, esrs-e1-6 or nzce.
	Standard string `json:"standard"`
	// Name of the standard and the table.
	Title string `json:"title"`
	// The rows; they add up to the total.
	Rows []StandardRow `json:"rows"`
	// The sum of the rows, in kg CO2e.
	TotalKgCO2e Kilograms `json:"totalKgCO2e"`
	// The total with scope 2 by contract, where the standard asks for it. In kg CO2e.
	MarketBasedTotalKgCO2e *Kilograms `json:"marketBasedTotalKgCO2e,omitempty"`
	// What the standard leaves to a choice.
	Note string `json:"note"`
}

// StandardRow is a row of a standard's table.
type StandardRow struct {
	// Name of the row.
	Name string `json:"name"`
	// What is in it, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
}

// CompensationSums is what an event states to have offset or removed, by kind.
type CompensationSums struct {
	// The sum of the offsets, in kg CO2e.
	OffsetKg Kilograms `json:"offsetKg"`
	// The sum of the removals, in kg CO2e.
	RemovalKg Kilograms `json:"removalKg"`
	// What the figures are not.
	Note string `json:"note"`
}

// Participants are figures by who takes part, in person and from afar.
type Participants struct {
	// Attendees in person.
	InPerson int `json:"inPerson"`
	// Attendees from afar.
	Virtual int `json:"virtual"`
	// The total by all who take part, in kg CO2e.
	PerParticipantKg *Kilograms `json:"perParticipantKg,omitempty"`
	// The same by day, in kg CO2e.
	PerParticipantDayKg *Kilograms `json:"perParticipantDayKg,omitempty"`
	// The total without digital records by attendees in person, in kg CO2e.
	PerInPersonKg *Kilograms `json:"perInPersonKg,omitempty"`
	// Digital records by attendees from afar, in kg CO2e.
	PerVirtualKg *Kilograms `json:"perVirtualKg,omitempty"`
}
