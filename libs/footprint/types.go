package footprint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/fields"
)

// recordType is one kind of carbon source. Its file defines the input, its decoding, calculation and documentation;
// no other file knows the type. Everything else (the schemas of the OpenAPI document, the inputs of the client, the
// methodology page, CSV templates, categories of purchases) is generated or derived from it.
type recordType struct {
	name string
	doc  doc
	// decode reads the body and returns the input in its canonical form.
	decode func(d *decoder) any
	// calculate evaluates an input that decode or read returned. The error means that the input is not valid.
	calculate func(input any, c *calculation) error
	// read decodes the input from stored fields.
	read func(raw json.RawMessage) (any, error)
	// chain reports how the inputs multiply to the quantity of a line.
	chain func(input any, l *Line, q *Chain)
}

// input is a type's input; it embeds the fields that every type has.
type input interface {
	shared() *common
	// complete reports whether the fields that the formula requires are present; Decode ensures it, but stored fields
	// may be damaged.
	complete() bool
}

// registered are the record types, in the order in which their files are
// initialized.
var registered []*recordType

// define registers a record type. T is the input struct. chain reports how its inputs multiply to the quantity of a line.
func define[T any, P interface {
	*T
	input
}](name string, about doc, decode func(*decoder, P), lines func(*calculation, P), chain func(*Chain, P, *Line)) *recordType {
	t := &recordType{
		name: name,
		doc:  about,
		decode: func(d *decoder) any {
			in := P(new(T))
			decode(d, in)
			d.common(in.shared())
			if in.shared().Evidence == nil && slices.Contains(about.answered, "evidence") {
				in.shared().Evidence = []evidence{}
			}
			return in
		},
		calculate: func(in any, c *calculation) error {
			p, ok := in.(P)
			if !ok {
				return fmt.Errorf("footprint: %T is not an input of %s", in, name)
			}
			if !p.complete() {
				return fmt.Errorf("footprint: fields of %s are missing", name)
			}
			c.begin(name, p.shared())
			lines(c, p)
			return nil
		},
		read: func(raw json.RawMessage) (any, error) {
			in := P(new(T))
			if err := json.Unmarshal(raw, in); err != nil {
				return nil, fmt.Errorf("footprint: fields of %s: %w", name, err)
			}
			return in, nil
		},
		chain: func(in any, l *Line, q *Chain) {
			if p, ok := in.(P); ok {
				chain(q, p, l)
				q.survey(p.shared())
			}
		},
	}
	registered = append(registered, t)
	return t
}

// evaluate calculates an input with all its lines and texts.
func (t *recordType) evaluate(in any, e *engine, ev EventContext) (Evaluation, error) {
	c := &calculation{engine: e, ev: ev}
	if err := t.calculate(in, c); err != nil {
		return Evaluation{}, err
	}
	if err := c.finish(); err != nil {
		return Evaluation{}, err
	}
	return c.out, nil
}

// registry lists the record types by their place, which is the order of
// results and pages, and then by name.
var registry = sync.OnceValue(func() []*recordType {
	list := slices.Clone(registered)
	slices.SortFunc(list, func(a, b *recordType) int {
		return cmp.Or(cmp.Compare(a.doc.place, b.doc.place), strings.Compare(a.name, b.name))
	})
	return list
})

func find(name string) (*recordType, bool) {
	for _, t := range registry() {
		if t.name == name {
			return t, true
		}
	}
	return nil, false
}

// Types returns the names of the record types in their fixed order.
func Types() []string {
	var out []string
	for _, t := range registry() {
		out = append(out, t.name)
	}
	return out
}

// Known reports whether typ is a record type.
func Known(typ string) bool {
	_, ok := find(typ)
	return ok
}

// Formula returns in one line how a type is calculated; empty for an unknown type.
func Formula(typ string) string {
	if t, ok := find(typ); ok {
		return t.doc.formula
	}
	return ""
}

// OrderOf returns the index of a type among Types; unknown types come last.
func OrderOf(name string) int {
	types := registry()
	for i, t := range types {
		if t.name == name {
			return i
		}
	}
	return len(types)
}

// SuppliedFactor is the factor id of a line whose figure was supplied with the record.
const SuppliedFactor = "supplied"

// ZeroFactor is the factor id of a line that is 0 by definition, such as a walk.
const ZeroFactor = "zero"

// serverFields are the served fields that the server owns. They are dropped from a body without notice, so that a
// client may send back what it read.
var serverFields = []string{
	"_id", "eventId", "type", "submitted", "status", "revision", "createdBy", "createdAt", "updatedAt",
	"submittedAt", "submittedBy", "reviewedBy", "reviewedAt", "reviewComment", "footprint",
}

// Decoded is a record's input, read and checked.
type Decoded struct {
	// Fields is the canonical JSON: known fields only, normalized, in a fixed order, with the event's country if the
	// record has none. The same input has the same bytes, and decoding them again changes nothing.
	Fields json.RawMessage
	// ExternalReference is that of the fields, or empty.
	ExternalReference string
	// Notices are about the body itself: the unknown fields that were dropped.
	Notices []Notice
	// Dropped are notices for the response, not for the record: the unknown fields again, and those that the service
	// sets itself.
	Dropped []fields.Notice
	// Evaluation is the result of Evaluate for Fields.
	Evaluation Evaluation
}

// Options are options of decoding.
type Options struct {
	// Strict refuses unknown fields: each is one of the errors.
	Strict bool
	// Suppliers is the library of the organization; nil if there is none.
	Suppliers SupplierFactors
	// Hints are shared by the bodies of one request; nil: each has as many.
	Hints *Hints
}

// Decode decodes the body of a record. The error is a VALIDATION_ERROR with all
// errors, including values without a factor (FACTOR_UNAVAILABLE); any other
// error means that the type or the factor set is unknown.
func Decode(typ string, body []byte, ev EventContext) (Decoded, error) {
	return Options{}.Decode(typ, body, ev)
}

// Decode is the function Decode with these options. An error of the library is returned unchanged.
func (o Options) Decode(typ string, body []byte, ev EventContext) (Decoded, error) {
	t, ok := find(typ)
	if !ok {
		return Decoded{}, fmt.Errorf("footprint: the type %q is not known", typ)
	}
	e, err := engineFor(ev)
	if err != nil {
		return Decoded{}, err
	}
	r, err := fields.Parse(body)
	if r == nil {
		return Decoded{}, err
	}
	r, body, err = t.withoutDerived(r, body)
	if r == nil {
		return Decoded{}, err
	}
	r, faults, err := withUnits(typ, r, body)
	if r == nil {
		return Decoded{}, err
	}
	r.SuggestBy(meant, elsewhere)
	r.NameBy(fieldsNamed(typ))
	r.ServerOwned(serverFields...)
	r.Ignore("journey", "supplier") // the server's, shown with the record
	d := &decoder{Reader: r, ev: ev, engine: e, suppliers: o.Suppliers, hints: o.Hints}
	in := t.decode(d)
	for _, f := range faults {
		r.Fault(f)
	}
	otherUnits := inOtherUnits(typ, r)
	for name, sentence := range otherUnits {
		r.Meaning(name, sentence)
	}
	if o.Strict {
		r.RefuseUnknown()
	}
	if d.failure != nil {
		return Decoded{}, d.failure
	}
	if err := r.Err(); err != nil {
		return Decoded{}, err
	}
	evaluation, err := t.evaluate(in, e, ev)
	if err != nil {
		return Decoded{}, err
	}
	raw, err := canonical(in)
	if err != nil {
		return Decoded{}, err
	}
	out := Decoded{Fields: raw, Evaluation: evaluation}
	if p, ok := in.(input); ok {
		out.ExternalReference = p.shared().ExternalReference
	}
	d.notices = append(d.notices, d.unusedInputs(t, in, &evaluation)...)
	out.Notices = append(d.notices, unknownFields(typ, r, otherUnits)...)
	out.Dropped = r.Notices()
	return out, nil
}

// maxUnknown bounds the notices of a body that is not a record.
const maxUnknown = 20

// unknownFields names the fields that were dropped, since a misspelt roundTrip
// must not halve a flight unseen.
func unknownFields(typ string, r *fields.Reader, meanings map[string]string) []Notice {
	unknown, others := r.UnknownFields(maxUnknown)
	var out []Notice
	for _, u := range unknown {
		n := Notice{Code: NoticeUnknownField, Field: u.Path, Message: "The field is not known to " + typ + " and was dropped.", Suggestions: u.Suggestions}
		if m := meanings[u.Path]; m != "" {
			n.Message += " " + m
		}
		out = append(out, n)
	}
	if others > 0 {
		out = append(out, Notice{Code: NoticeUnknownField, Message: fmt.Sprintf("%d more fields are not known and were dropped.", others)})
	}
	return out
}
