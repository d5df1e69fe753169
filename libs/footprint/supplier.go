package footprint

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// SupplierFactor is one approved version of a factor from an organization's library. A record that uses it stores a
// copy, so that its figure does not depend on the library; an approved version never changes.
type SupplierFactor struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
	// KgCO2ePerUnit is the figure for one Unit: kWh, a currency, or any other.
	KgCO2ePerUnit  decimal.Decimal `json:"kgCO2ePerUnit"`
	Unit           string          `json:"unit"`
	Stage          string          `json:"stage"`
	Scope3Category string          `json:"scope3Category,omitempty"`
	// ValidFrom and ValidTo are days (YYYY-MM-DD), inclusive; empty: open.
	ValidFrom string     `json:"validFrom,omitempty"`
	ValidTo   string     `json:"validTo,omitempty"`
	Source    string     `json:"source"`
	Evidence  []Evidence `json:"evidence"`
	// Uncertainty is the factor of the 95% interval, above 1; nil if the source states none.
	Uncertainty *decimal.Decimal `json:"uncertaintyFactor,omitempty"`
}

// Evidence is a document behind a figure.
type Evidence = evidence

// supplierRow is the prefix of the ids of supplier factors.
const supplierRow = "supplier:"

// Reference names the version: "Green Power@2".
func (s *SupplierFactor) Reference() string {
	return s.Name + "@" + strconv.FormatInt(s.Version, 10)
}

// ValidOn reports whether a day (YYYY-MM-DD) is within the validity; an unknown day is.
func (s *SupplierFactor) ValidOn(day string) bool {
	return day == "" || (s.ValidFrom == "" || s.ValidFrom <= day) && (s.ValidTo == "" || day <= s.ValidTo)
}

// Validity describes the validity in words.
func (s *SupplierFactor) Validity() string {
	switch {
	case s.ValidFrom == "" && s.ValidTo == "":
		return "at any time"
	case s.ValidTo == "":
		return "from " + s.ValidFrom + " on"
	case s.ValidFrom == "":
		return "until " + s.ValidTo
	}
	return "from " + s.ValidFrom + " to " + s.ValidTo
}

// RowID returns the id of the factor's row.
func (s *SupplierFactor) RowID() string { return supplierRow + s.Reference() }

// IsSupplierRow reports whether an id is that of a supplier's factor.
func IsSupplierRow(id string) bool { return strings.HasPrefix(id, supplierRow) }

// Row returns the factor as a row of a set.
func (s *SupplierFactor) Row() factors.Factor {
	var evidence []string
	for _, e := range s.Evidence {
		text := e.Name
		if text == "" {
			text = e.URL
		}
		if e.SHA256 != "" {
			text = strings.TrimSpace(text + " (SHA-256 " + e.SHA256 + ")")
		}
		evidence = append(evidence, text)
	}
	f := factors.Factor{ID: s.RowID(), Series: supplierRow + s.Name, Category: "supplier", Activity: s.Name, Unit: s.Unit, KgCO2e: s.KgCO2ePerUnit,
		Detail: "version " + strconv.FormatInt(s.Version, 10) + " in the organization's library, valid " + s.Validity(),
		Year:   YearOf(s.ValidFrom), Source: s.Source, SourceLocation: strings.Join(evidence, "; "), Licence: "figure of a supplier, approved by the organization"}
	return f
}

// SupplierFactorOf returns the copy stored in the fields of a record; nil if there is none.
func SupplierFactorOf(typ string, fields []byte) *SupplierFactor {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	in, err := t.read(fields)
	if err != nil {
		return nil
	}
	if p, ok := in.(interface{ supplier() *SupplierFactor }); ok {
		return p.supplier()
	}
	return nil
}

// SupplierFactors finds factors in the library of the record's organization.
type SupplierFactors interface {
	// SupplierFactor returns the factor of a reference on a day: the version of "name@2", or for "name" the newest
	// approved version valid on that day. remark is a remark for the record, or empty. The error is an
	// *UnknownSupplierFactorError, or a failure.
	SupplierFactor(reference, day string) (f SupplierFactor, remark string, err error)
}

// UnknownSupplierFactorError reports a reference that names no factor that may be
// used.
type UnknownSupplierFactorError struct {
	Message string
	// Offered are references that could be meant.
	Offered []string
}

func (e *UnknownSupplierFactorError) Error() string { return e.Message }

// UnknownSupplierFactor is the error code of such a reference.
const UnknownSupplierFactor = "UNKNOWN_SUPPLIER_FACTOR"

// supplied is embedded in the inputs of types that use factors of suppliers.
type supplied struct {
	// Reference names the version, once the record was read.
	Reference string          `json:"supplierFactor,omitempty"`
	Supplier  *SupplierFactor `json:"supplier,omitempty"`
}

func (s *supplied) supplier() *SupplierFactor { return s.Supplier }

// maxSupplierReference bounds a name with its version.
const maxSupplierReference = 120

// supplierFactor reads the reference to a supplier factor. fits returns why a factor cannot be used here, or an empty
// text.
func (d *decoder) supplierFactor(fits func(SupplierFactor) string) (s supplied) {
	reference, ok := d.String("supplierFactor", 1, maxSupplierReference)
	if !ok {
		return s
	}
	unknown := func(message string, offered []string) {
		d.Fault(apperr.Detail{Field: "supplierFactor", Code: UnknownSupplierFactor, Message: message, Suggestions: offered})
	}
	if d.suppliers == nil {
		unknown("supplierFactor names a factor of an organization's library, and there is none here.", nil)
		return s
	}
	day := d.ev.StartDate
	if date, ok := d.Raw("date"); ok {
		day = strings.Trim(string(date), `"`)
	}
	f, remark, err := d.suppliers.SupplierFactor(strings.TrimSpace(reference), day)
	if e, ok := errors.AsType[*UnknownSupplierFactorError](err); ok {
		unknown(e.Message, e.Offered)
		return s
	}
	if err != nil {
		d.failure = err
		return s
	}
	if problem := fits(f); problem != "" {
		d.Fault(apperr.Detail{Field: "supplierFactor", Code: fields.NotAllowed, Message: fmt.Sprintf("%s is per %s (%s); %s", f.Reference(), f.Unit, f.Stage, problem)})
		return s
	}
	if remark != "" {
		d.notices = append(d.notices, Notice{Code: NoticeSupplierWithdrawn, Field: "supplierFactor", Message: remark})
	}
	return supplied{Reference: f.Reference(), Supplier: &f}
}

// fromSupplier adds the line of a quantity in the unit of a supplier's factor.
func (c *calculation) fromSupplier(s *SupplierFactor, q quantity, scope int, category string) {
	row := s.Row()
	c.noteSupplier(s, "The figure is")
	if c.valid(s) && c.year > 0 {
		row.Year = c.year
	}
	e := entry{factor: &row, supplier: s, quantity: q, unit: s.Unit, stage: s.Stage, scope: scope, category: category, geography: 1, technology: 1}
	if s.Uncertainty == nil {
		// A supplier's figure without a description of its method counts as that of a related technology.
		e.technology = 3
	} else if !c.second() {
		e.variance = varianceOf(decimalRat(*s.Uncertainty))
	}
	c.add(e)
}

// day returns the day for the validity of factors.
func (c *calculation) day() string {
	if c.in.Date != "" {
		return c.in.Date
	}
	return c.ev.StartDate
}

func (c *calculation) valid(s *SupplierFactor) bool { return s.ValidOn(c.day()) }

// noteSupplier notes which factor was used, and that it is not valid on the day.
func (c *calculation) noteSupplier(s *SupplierFactor, what string) {
	if !c.valid(s) {
		c.note(NoticeSupplierInvalid, "supplierFactor", "%s is valid %s; the activity is of %s.", s.Reference(), s.Validity(), c.day())
	}
	if c.quiet {
		c.note(NoticeSupplierFactor, "supplierFactor", "")
		return
	}
	c.note(NoticeSupplierFactor, "supplierFactor", "%s by %s of the organization's library: %s kg CO2e per %s (%s).", what, s.Reference(), s.KgCO2ePerUnit, s.Unit, s.Source)
}

// basicOfSupplier returns the basic variance of a supplier factor, in billionths; the default if it states none.
func basicOfSupplier(s *SupplierFactor) int64 {
	if s == nil || s.Uncertainty == nil {
		return basicDefault
	}
	return cachedVariance(decimalRat(*s.Uncertainty))
}
