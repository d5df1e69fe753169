package footprint

import (
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/plainjson"
)

// decoder reads the body of a record, in the context of its event.
type decoder struct {
	*fields.Reader
	ev     EventContext
	engine *engine
	// suppliers is the library of the organization, or nil.
	suppliers SupplierFactors
	// hints bounds suggestions in faults; nil: no suggestions.
	hints *Hints
	// notices are about the body, found while it is read.
	notices []Notice
	// failure is an error that is not a fault of the body.
	failure error
}

var (
	decimalZero = decimal.Decimal{}
	// maxQuantity bounds quantities, so that the largest sum of a very large event stays far below the largest Mass.
	maxQuantity = decimal.FromInt(1_000_000_000)
	hundred     = decimal.FromInt(100)
)

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

// country reads the country of a record; by default the event's.
func (d *decoder) country(required bool) string {
	code, ok := d.Country("country")
	if ok || d.Has("country") {
		return code
	}
	if d.ev.Country == "" && required {
		d.Fault(apperr.Detail{Field: "country", Code: fields.Required,
			Message: "country is required because the event has none."})
	}
	return d.ev.Country
}

// canonical encodes an input; struct order and omitted zero values make the bytes a function of the input. HTML
// characters are not escaped.
func canonical(in any) (json.RawMessage, error) {
	text, err := plainjson.MarshalUnescaped(in)
	if err != nil {
		return nil, fmt.Errorf("footprint: canonical fields: %w", err)
	}
	return text, nil
}
