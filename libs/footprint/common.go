package footprint

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// common are the optional fields of every type.
type common struct {
	Description       string            `json:"description,omitempty"`
	Date              string            `json:"date,omitempty"`
	Group             string            `json:"group,omitempty"`
	DataQuality       string            `json:"dataQuality,omitempty"`
	ExternalReference string            `json:"externalReference,omitempty"`
	Respondents       int64             `json:"respondents,omitempty"`
	Population        int64             `json:"population,omitempty"`
	SampleCV          *decimal.Decimal  `json:"sampleCV,omitempty"`
	Evidence          []evidence        `json:"evidence,omitempty"`
	Metadata          map[string]string `json:"metadata,omitempty"`
}

type evidence struct {
	Name   string `json:"name,omitempty"`
	URL    string `json:"url,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

func (c *common) shared() *common { return c }

// surveyed reports whether the quantity is to be scaled from those who answered
// to all.
func (c *common) surveyed() bool { return c.Respondents > 0 && c.Respondents < c.Population }

// Groups are the groups of people a record may be about.
func Groups() []string {
	return []string{"attendees", "staff", "speakers", "exhibitors", "suppliers", "other"}
}

const (
	maxPeople = 100_000_000
	maxText   = 500
)

var (
	decimalZero = decimal.Decimal{}
	// maxQuantity bounds amounts, so that the largest sum of a very large event
	// stays far below what a Mass holds.
	maxQuantity = decimal.FromInt(1_000_000_000)
	hundred     = decimal.FromInt(100)
)

// decoder reads the body of a record, with what its event says.
type decoder struct {
	*fields.Reader
	ev     EventContext
	engine *engine
}

// common reads the fields of every type.
func (d *decoder) common(c *common) {
	c.Description, _ = d.String("description", 0, maxText)
	c.Date, _ = d.Date("date")
	c.Group, _ = d.Enum("group", Groups()...)
	c.DataQuality, _ = d.Enum("dataQuality", qualityNames[:]...)
	c.ExternalReference, _ = d.String("externalReference", 1, 128)
	d.survey(c)
	c.Metadata, _ = d.StringMap("metadata", 20, maxText)
	list, _ := d.Objects("evidence", 10)
	for _, r := range list {
		r.RequireOneOf("name", "url", "sha256")
		var e evidence
		e.Name, _ = r.String("name", 1, 200)
		e.URL, _ = r.URL("url", 2000)
		e.SHA256, _ = r.SHA256("sha256")
		c.Evidence = append(c.Evidence, e)
	}
}

func (d *decoder) survey(c *common) {
	var answered, asked bool
	c.Respondents, answered = d.Integer("respondents", 1, maxPeople)
	c.Population, asked = d.Integer("population", 1, maxPeople)
	switch {
	case answered && asked && c.Respondents > c.Population:
		d.Fault(apperr.Detail{Field: "respondents", Code: fields.OutOfRange,
			Message: fmt.Sprintf("respondents must be at most population, %d; got %d.", c.Population, c.Respondents)})
	case answered && !d.Has("population"):
		d.Require("population")
	case asked && !d.Has("respondents"):
		d.Require("respondents")
	}
	if cv, ok := d.Decimal("sampleCV", decimalZero, decimal.FromInt(10)); ok {
		c.SampleCV = &cv
		d.Require("respondents", "population")
	}
}

// amount reads a number that may be absent.
func (d *decoder) amount(name string, most decimal.Decimal) *decimal.Decimal {
	v, ok := d.Decimal(name, decimalZero, most)
	if !ok {
		return nil
	}
	return &v
}

// flag reads a boolean that may be absent.
func (d *decoder) flag(name string) *bool {
	v, ok := d.Bool(name)
	if !ok {
		return nil
	}
	return &v
}

// country reads the country of a record; the event's when it names none.
func (d *decoder) country(required bool) string {
	code, ok := d.Country("country")
	if ok || d.Has("country") {
		return code
	}
	if d.ev.Country == "" && required {
		d.Fault(apperr.Detail{Field: "country", Code: fields.Required,
			Message: "country is required, since the event has none."})
	}
	return d.ev.Country
}

// canonical writes an input; struct order and omitted zero values make the
// bytes a function of the input. Text is not escaped for HTML.
func canonical(in any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return nil, fmt.Errorf("footprint: canonical fields: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
