// Package pack reads factor packs: factor sets that an operator adds to a running
// system. A pack is a JSON document with its rows, their sources and licences, its
// base sets, and a signature; docs/factor-packs.md describes it. A pack accepted by
// Read is complete: every row has a source and a licence, and can be used by
// the calculation.
package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/signature"
)

// Format is the form of a pack.
const Format = "ecf-factors/1"

// The limits of a pack.
const (
	MaxBytes = 8 << 20
	MaxRows  = 20_000
)

// Document is a pack.
type Document struct {
	Format string `json:"format"`
	// Name and Release form the id of the set: "desnz-2027-v1".
	Name    string `json:"name"`
	Release int    `json:"release"`
	Title   string `json:"title"`
	// Publisher is the publisher of the figures.
	Publisher string `json:"publisher"`
	// Year is the calendar year the set is meant for.
	Year int `json:"year"`
	// Base is the built-in set whose rows are used for series that the pack lacks; absent in a complete pack.
	Base string `json:"base,omitempty"`
	// StandIns are the built-in sets to search for series that are still missing, in order. Their rows are used with
	// a notice.
	StandIns []string `json:"standIns"`
	Sources  []Source `json:"sources"`
	Rows     []Row    `json:"rows"`
	// Defaults and Pedigree replace those of Base or the first of StandIns.
	Defaults  []Default            `json:"defaults,omitempty"`
	Pedigree  []Score              `json:"pedigree,omitempty"`
	Signature *signature.Signature `json:"signature,omitempty"`
}

// Source is a publication that rows are from.
type Source struct {
	Key     string `json:"key"`
	Source  string `json:"source"`
	Licence string `json:"licence"`
}

// Row is a factor: kg CO2e for one unit. Unpublished values are absent, never 0.
type Row struct {
	ID       string `json:"id"`
	Series   string `json:"series"`
	Category string `json:"category"`
	Activity string `json:"activity"`
	Detail   string `json:"detail,omitempty"`
	Unit     string `json:"unit"`
	Region   string `json:"region"`
	// Year is that of the figure; absent when its source is undated.
	Year   int             `json:"year,omitempty"`
	KgCO2e decimal.Decimal `json:"kgCO2e"`
	// The gases of KgCO2e, in kg CO2e.
	CO2        *decimal.Decimal `json:"co2,omitempty"`
	CH4        *decimal.Decimal `json:"ch4,omitempty"`
	N2O        *decimal.Decimal `json:"n2o,omitempty"`
	WellToTank *decimal.Decimal `json:"wellToTank,omitempty"`
	// BiogenicCO2 is the CO2 of biomass in kg, reported outside of scopes.
	BiogenicCO2 *decimal.Decimal `json:"biogenicCO2,omitempty"`
	// Low and High are the range that the source states for KgCO2e.
	Low  *decimal.Decimal `json:"low,omitempty"`
	High *decimal.Decimal `json:"high,omitempty"`
	// Fallback marks a row of another yearly edition than the pack's.
	Fallback bool `json:"fallback,omitempty"`
	// Source is the key of one of the document's sources, Location is the place in it:
	// the sheet and the cell, or the page.
	Source   string `json:"source"`
	Location string `json:"location"`
}

// Default is an activity figure to use where nothing was measured.
type Default struct {
	ID       string           `json:"id"`
	Quantity string           `json:"quantity"`
	Detail   string           `json:"detail,omitempty"`
	Value    decimal.Decimal  `json:"value"`
	Unit     string           `json:"unit"`
	Region   string           `json:"region,omitempty"`
	Low      *decimal.Decimal `json:"low,omitempty"`
	High     *decimal.Decimal `json:"high,omitempty"`
	Year     int              `json:"year,omitempty"`
	Source   string           `json:"source"`
	Location string           `json:"location"`
}

// Score is an uncertainty factor of the pedigree matrix.
type Score struct {
	Indicator string          `json:"indicator"`
	Score     int             `json:"score"`
	Factor    decimal.Decimal `json:"factor"`
}

// ID returns the id of the set.
func (d *Document) ID() string { return d.Name + "-v" + strconv.Itoa(d.Release) }

// Encode returns the encoding of the pack. It is deterministic.
func (d *Document) Encode() ([]byte, error) {
	text, err := plainjson.MarshalUnescaped(d)
	if err != nil {
		return nil, fmt.Errorf("encode factor pack: %w", err)
	}
	return text, nil
}

// Checksum returns the SHA-256 of the pack without its signature, in hexadecimal.
func (d *Document) Checksum() (string, error) {
	unsigned := *d
	unsigned.Signature = nil
	text, err := unsigned.Encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// signedText is the format, a line end, and the checksum.
func signedText(checksum string) []byte { return []byte(Format + "\n" + checksum) }

// ErrUnsigned is returned for a pack without a signature.
var ErrUnsigned = errors.New("the pack is not signed")

// CheckSignature returns ErrUnsigned or why the signature is not valid; nil if it is. It does not determine the owner
// of the key.
func (d *Document) CheckSignature() error {
	sum, err := d.Checksum()
	if err != nil {
		return err
	}
	return d.CheckExcerptSignature(sum)
}

// CheckExcerptSignature is CheckSignature of an excerpt of the pack with the checksum.
func (d *Document) CheckExcerptSignature(checksum string) error {
	if d.Signature == nil {
		return ErrUnsigned
	}
	if err := d.Signature.Check(signedText(checksum)); err != nil {
		return fmt.Errorf("the signature of the pack is wrong: %w", err)
	}
	return nil
}

// Sign signs the pack with a function that signs texts.
func (d *Document) Sign(sign func(text []byte) (signature.Signature, error)) error {
	sum, err := d.Checksum()
	if err != nil {
		return err
	}
	signed, err := sign(signedText(sum))
	if err != nil {
		return err
	}
	d.Signature = &signed
	return nil
}

// Set composes the set of a pack that was read.
func (d *Document) Set() (*factors.Set, error) {
	sum, err := d.Checksum()
	if err != nil {
		return nil, err
	}
	return d.compose(sum)
}

// SetOfExcerpt composes the set of an excerpt, which represents the pack with the checksum: lookups of its rows have
// the same results.
func (d *Document) SetOfExcerpt(checksum string) (*factors.Set, error) { return d.compose(checksum) }

func (d *Document) compose(checksum string) (*factors.Set, error) {
	c := factors.Composition{ID: d.ID(), Year: d.Year, Checksum: checksum,
		Pack: &factors.Pack{Name: d.Name, Release: d.Release, Title: d.Title, Publisher: d.Publisher, Base: d.Base, StandIns: d.StandIns,
			Rows: len(d.Rows), Document: d}}
	if d.Signature != nil {
		c.Pack.SignedBy = d.Signature.KeyID
	}
	if d.Base != "" {
		base, ok := builtIn(d.Base)
		if !ok {
			return nil, fmt.Errorf("factor pack %s: the set %s is not built in", d.ID(), d.Base)
		}
		c.Base = base
	}
	for _, id := range d.StandIns {
		o, ok := builtIn(id)
		if !ok {
			return nil, fmt.Errorf("factor pack %s: the set %s is not built in", d.ID(), id)
		}
		c.StandIns = append(c.StandIns, o)
	}
	sources := make(map[string]Source, len(d.Sources))
	for _, s := range d.Sources {
		sources[s.Key] = s
	}
	for i := range d.Rows {
		c.Rows = append(c.Rows, d.Rows[i].factor(sources))
	}
	for _, v := range d.Defaults {
		s := sources[v.Source]
		c.Defaults = append(c.Defaults, factors.Default{ID: v.ID, Quantity: v.Quantity, Detail: v.Detail, Value: v.Value, Unit: v.Unit, Region: v.Region,
			Low: value(v.Low), High: value(v.High), Year: v.Year, Source: s.Source, SourceLocation: v.Location, Licence: s.Licence})
	}
	for _, p := range d.Pedigree {
		c.Pedigree = append(c.Pedigree, factors.Score(p))
	}
	return factors.Compose(c), nil
}

func (r *Row) factor(sources map[string]Source) factors.Factor {
	s := sources[r.Source]
	return factors.Factor{ID: r.ID, Series: r.Series, Category: r.Category, Activity: r.Activity, Detail: r.Detail, Unit: r.Unit,
		KgCO2e: r.KgCO2e, CO2: value(r.CO2), CH4: value(r.CH4), N2O: value(r.N2O), WTT: value(r.WellToTank), BiogenicCO2: value(r.BiogenicCO2),
		Region: r.Region, Year: r.Year, Fallback: r.Fallback, Source: s.Source, SourceLocation: r.Location, Licence: s.Licence,
		Low: value(r.Low), High: value(r.High)}
}

func value(d *decimal.Decimal) factors.Value {
	if d == nil {
		return factors.Value{}
	}
	return factors.Value{Decimal: *d, Published: true}
}

func builtIn(id string) (*factors.Set, bool) {
	for _, s := range factors.Sets() {
		if s.ID == id {
			return s, true
		}
	}
	return nil, false
}
