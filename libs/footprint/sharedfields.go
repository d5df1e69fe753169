package footprint

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
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
	Evidence          []evidence        `json:"evidence,omitzero"` // empty where an answer always has it
	Metadata          map[string]string `json:"metadata,omitempty"`
	// Stated are numbers as the paper has them, with their units; the fields carry
	// them in ours.
	Stated       map[string]string `json:"stated,omitempty"`
	NumberFormat string            `json:"numberFormat,omitempty"`
}

type evidence struct {
	Name   string `json:"name,omitempty"`
	URL    string `json:"url,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

func (c *common) shared() *common { return c }

func (c *common) complete() bool { return true }

// surveyed reports whether the quantity is to be extrapolated from the respondents.
func (c *common) surveyed() bool { return c.Respondents > 0 && c.Respondents < c.Population }

// Groups are the groups of people a record may be about.
func Groups() []string {
	return []string{"attendees", "staff", "speakers", "exhibitors", "suppliers", "other"}
}

const (
	maxPeople = 100_000_000
	maxText   = 500
)

// common reads the fields of every type.
func (d *decoder) common(c *common) {
	c.Description, _ = d.String("description", 0, maxText)
	c.Date, _ = d.Date("date")
	c.Group, _ = d.Enum("group", Groups()...)
	c.DataQuality, _ = d.Enum("dataQuality", qualityNames[:]...)
	c.ExternalReference, _ = d.String("externalReference", 1, 128)
	d.survey(c)
	c.Metadata, _ = d.StringMap("metadata", 20, maxText)
	c.Stated, _ = d.StringMap("stated", maxStated, 80)
	c.NumberFormat, _ = d.Enum("numberFormat", units.Formats()...)
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
	if answered && asked && c.Respondents > c.Population {
		d.Fault(apperr.Detail{Field: "respondents", Code: fields.OutOfRange,
			Message: fmt.Sprintf("respondents must be at most population, %d; got %d.", c.Population, c.Respondents)})
	}
	if cv, ok := d.Decimal("sampleCV", decimalZero, decimal.FromInt(10)); ok {
		c.SampleCV = &cv
	}
	d.RequireWith("sampleCV", "respondents", "population")
	d.RequireWith("respondents", "population")
	d.RequireWith("population", "respondents")
}
