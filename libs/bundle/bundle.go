// Package bundle builds and verifies the reports of results that can be recomputed
// by anyone: the inputs, the factors, the method and every figure, with hashes and a
// signature. Build makes a bundle; Verify recomputes one without a network and
// reports differences. Both are deterministic: the same inputs give the same
// bytes on every platform.
//
// The format of a bundle is the JSON that Encode writes: members in the order of
// the types below, no white space, numbers as the engine formats them. White
// space may be added; any other change is a difference.
package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/plainjson"
)

// The formats of a bundle. A new one is introduced if an older reader would misinterpret a newer bundle.
const (
	// Format is the form without people.
	Format = "ecf-report/1"
	// Format2 also contains organization, people, sign-off, and records that are not counted.
	Format2 = "ecf-report/2"
)

// Bundle is one result with all it was calculated from.
type Bundle struct {
	Format string `json:"format"`
	// Names is NamesFull or NamesRoles; empty in Format.
	Names string `json:"names,omitempty"`
	// Organization is the event's owner. It is absent in Format.
	Organization *Organization `json:"organization,omitempty"`
	Event        Event         `json:"event"`
	// EngineVersion names the method and code that calculated the result. Only
	// the same version recomputes it bit for bit.
	EngineVersion string    `json:"engineVersion"`
	FactorSet     FactorSet `json:"factorSet"`
	// Factors are the rows of the set that the lines use, by id.
	Factors []Factor `json:"factors"`
	// Records are the counted ones: by type in the fixed order of types, then by
	// their number.
	Records []Record `json:"records"`
	// Failed are the ids of approved records that could not be calculated and
	// are missing from the total.
	Failed []string `json:"failed"`
	Result Result   `json:"result"`
	// Provenance is that of each record, in the order of Records. The following fields are absent in Format, and
	// SignOff also without a sign-off.
	Provenance []Provenance `json:"provenance,omitempty"`
	NotCounted *NotCounted  `json:"notCounted,omitempty"`
	SignOff    *SignOff     `json:"signOff,omitempty"`
	// Policies are the states of the organization's policy on review, oldest first.
	Policies []Policy `json:"policies,omitempty"`
	Hashes   Hashes   `json:"hashes"`
	// Signature is absent where the service has no key for reports.
	Signature *Signature `json:"signature,omitempty"`
}

// Event is the event of the result. Only Context affects figures.
type Event struct {
	ID       string          `json:"_id"`
	Title    string          `json:"title"`
	Boundary json.RawMessage `json:"boundary,omitempty"`
	Context  Context         `json:"context"`
}

// Context is the part of an event that affects its figures; empty and 0 mean "not stated".
type Context struct {
	Country          string `json:"country"`
	StartDate        string `json:"startDate"`
	EndDate          string `json:"endDate"`
	Attendees        int64  `json:"attendees"`
	RadiativeForcing bool   `json:"radiativeForcing"`
	GWP              string `json:"gwp"`
	// Place is the place of the event; absent if not stated.
	Place *footprint.Venue `json:"place,omitempty"`
}

// FactorSet names the edition of the factors.
type FactorSet struct {
	ID   string `json:"id"`
	Year int    `json:"year"`
	// Version is the SHA-256 of the whole set.
	Version string `json:"version"`
	// Pack is the part of the set that the result depends on, if the set is not built in: an excerpt, with the
	// signature of the whole.
	Pack *pack.Document `json:"pack,omitempty"`
}

// Record is one counted record: its input and its result.
type Record struct {
	ID   string `json:"_id"`
	Type string `json:"type"`
	// Seq is the record's number among those of its type.
	Seq      int64 `json:"seq"`
	Revision int64 `json:"revision"`
	// Fields is the input in canonical form, exactly the bytes that InputHash covers.
	Fields    json.RawMessage    `json:"fields"`
	InputHash string             `json:"inputHash"`
	KgCO2e    footprint.Mass     `json:"kgCO2e"`
	Low       footprint.Mass     `json:"low"`
	High      footprint.Mass     `json:"high"`
	Lines     []footprint.Line   `json:"lines"`
	Defaulted []string           `json:"defaulted"`
	Notices   []footprint.Notice `json:"notices"`
}

// Result is the sum over the records.
type Result struct {
	Revision     int64  `json:"revision"`
	CalculatedAt string `json:"calculatedAt"`
	// InputsHash is the root of a Merkle tree over the context and all inputs; Tree
	// describes its construction.
	InputsHash string `json:"inputsHash"`
	Tree       Tree   `json:"inputsTree"`
	total.Breakdown
}

// Hashes are SHA-256 sums of each part, so that a reader can tell which part was changed. Content covers everything
// except the hashes and the signature.
type Hashes struct {
	Event   string `json:"event"`
	Factors string `json:"factors"`
	Records string `json:"records"`
	Result  string `json:"result"`
	// Provenance is absent in Format.
	Provenance string `json:"provenance,omitempty"`
	Content    string `json:"content"`
}

// Input is one counted record as it was stored.
type Input struct {
	ID, Type      string
	Seq, Revision int64
	Fields        json.RawMessage
	// Hash is that of the whole input if Fields are incomplete.
	Hash string
}

// Source is the input of Build.
type Source struct {
	Event     Event
	FactorSet string
	// Engine is that of footprint.EventContext.
	Engine       string
	Records      []Input
	Failed       []string
	Revision     int64
	CalculatedAt string
	Tree         Tree

	// The following fields result in a bundle of Format2.
	Names        string
	Organization *Organization
	Provenance   []Provenance
	NotCounted   *NotCounted
	SignOff      *SignOff
	Policies     []Policy
	// InputsHash is the root over the whole inputs if Records are incomplete; empty: it is calculated.
	InputsHash string

	// Between, if set, is called after every 64 calculated records, so that the caller can yield to other work. Its
	// error ends the calculation.
	Between func() error

	// set is that of the excerpt in a bundle whose set is not available.
	set *factors.Set
}

// context returns the engine's form of an event's context.
func (s Source) context() footprint.EventContext {
	c := s.Event.Context
	ev := footprint.EventContext{Country: c.Country, StartDate: c.StartDate, EndDate: c.EndDate, Attendees: c.Attendees,
		RadiativeForcing: c.RadiativeForcing, GWP: c.GWP, FactorSet: s.FactorSet, Engine: s.Engine}
	if c.Place != nil {
		ev.Place = *c.Place
	}
	return ev
}

// ContextOf returns the bundle's form of a context.
func ContextOf(c footprint.EventContext) Context {
	out := Context{Country: c.Country, StartDate: c.StartDate, EndDate: c.EndDate, Attendees: c.Attendees,
		RadiativeForcing: c.RadiativeForcing, GWP: c.GWP}
	if !c.Place.IsZero() {
		out.Place = &c.Place
	}
	return out
}

// Built is a bundle with intermediate results that are not part of it.
type Built struct {
	Bundle
	// Contribution is the sum in the engine's form.
	Contribution total.Contribution
	// Parts are the contributions of Bundle.Records, in their order.
	Parts []total.Contribution
}

// Build calculates every record of a source and returns the bundle, without a signature. It fails if the factor set
// is not available or a record cannot be calculated.
func Build(s Source) (Built, error) {
	built, faults := build(s)
	if len(faults) > 0 {
		return Built{}, fmt.Errorf("bundle: %w", faults[0].err)
	}
	return built, nil
}

// fault is why one record, or all of them if record is -1, could not be calculated.
type fault struct {
	record int
	err    error
}

// build continues after a record that cannot be calculated, for Verify.
func build(s Source) (out Built, faults []fault) {
	set, err := s.factorSet()
	if err != nil {
		return out, []fault{{-1, err}}
	}
	var used rows
	out.Bundle = s.head(set)
	out.Records, out.Parts, used, faults = s.calculate(set)
	out.Contribution = total.Sum(out.Parts...)
	s.complete(&out.Bundle, set, used, out.Contribution)
	if s.InputsHash == "" {
		out.Result.InputsHash = s.Tree.Root(s.context(), s.Records)
	}
	if s.Organization != nil {
		out.Provenance = inOrder(s.Provenance, out.Records)
	}
	if err := out.hash(); err != nil {
		faults = append(faults, fault{-1, err})
	}
	return out, faults
}

// factorSet returns the set that records are calculated with.
func (s Source) factorSet() (*factors.Set, error) {
	if s.set != nil {
		return s.set, nil
	}
	held, err := factors.ByID(s.FactorSet)
	if errors.Is(err, factors.ErrNotHeld) {
		return nil, fmt.Errorf("the factor set %q is not held by this version of the program: %w", s.FactorSet, err)
	}
	return held, err
}

// head returns the parts of a bundle that do not depend on its records.
func (s Source) head(set *factors.Set) Bundle {
	b := Bundle{
		Format: Format, Event: s.Event, EngineVersion: s.context().EngineVersion(),
		FactorSet: FactorSet{ID: set.ID, Year: set.Year, Version: set.Checksum}, Factors: []Factor{},
		Records: []Record{}, Failed: append([]string{}, s.Failed...),
	}
	if s.Organization != nil {
		b.Format, b.Names, b.Organization = Format2, cmp.Or(s.Names, NamesFull), s.Organization
		b.NotCounted, b.SignOff, b.Policies = s.NotCounted, s.SignOff, s.Policies
	}
	return b
}

// complete sets the totals of the records. The hash over all inputs is that of the source.
func (s Source) complete(b *Bundle, set *factors.Set, used rows, sum total.Contribution) {
	ev := s.context()
	b.Factors = used.factors(set, footprint.HasAllRows(b.EngineVersion))
	if set.Pack != nil {
		b.FactorSet.Pack = pack.Excerpt(set, used.ofPack())
	}
	b.Result = Result{Revision: s.Revision, CalculatedAt: s.CalculatedAt, InputsHash: s.InputsHash, Tree: s.Tree, Breakdown: sum.BreakdownOf(ev, set.Year)}
}

// inOrder returns provenance in the order of the records.
func inOrder(all []Provenance, records []Record) []Provenance {
	byRecord := make(map[string]Provenance, len(all))
	for _, p := range all {
		byRecord[p.Record] = p
	}
	ordered := make([]Provenance, 0, len(records))
	for _, r := range records {
		if p, ok := byRecord[r.ID]; ok {
			ordered = append(ordered, p)
		}
	}
	return ordered
}

// Rehash returns the bundle with the hashes of its parts recalculated.
func (b Bundle) Rehash() (Bundle, error) {
	b.Hashes = Hashes{}
	err := b.hash()
	return b, err
}

// hash fills in the hashes of the parts.
func (b *Bundle) hash() error {
	whole := *b
	whole.Hashes, whole.Signature = Hashes{}, nil
	for _, p := range []struct {
		part any
		to   *string
	}{
		{b.Event, &b.Hashes.Event}, {b.Factors, &b.Hashes.Factors}, {b.Records, &b.Hashes.Records},
		{b.Result, &b.Hashes.Result}, {b.Provenance, &b.Hashes.Provenance}, {whole, &b.Hashes.Content},
	} {
		if p.to == &b.Hashes.Provenance && b.Format == Format {
			continue
		}
		text, err := encode(p.part)
		if err != nil {
			return err
		}
		*p.to = sum256(text)
	}
	return nil
}

// Encode returns the encoding of the bundle. It is deterministic.
func (b Bundle) Encode() ([]byte, error) { return encode(b) }

// encode does not escape <, > and &: fields are hashed without escaping.
func encode(v any) ([]byte, error) {
	text, err := plainjson.MarshalUnescaped(v)
	if err != nil {
		return nil, fmt.Errorf("encode bundle: %w", err)
	}
	return text, nil
}
