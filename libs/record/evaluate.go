package record

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// MaxBytes limits the input of a record and its calculated data together: half
// of the document size limit of a store.
const MaxBytes = 8 << 20

// CheckSize returns an error for the client if a record would be larger than
// MaxBytes. Only lists of origins can be so large. It is for records about to be
// stored, not for stored ones.
func CheckSize(fields, preview, contribution json.RawMessage) error {
	size := len(fields) + len(preview) + len(contribution)
	if size <= MaxBytes {
		return nil
	}
	return apperr.Invalid(apperr.Detail{Field: "origins", Code: "TOO_LARGE", Message: fmt.Sprintf(
		"The rows and the lines calculated from them have %d bytes; a record may have at most %d. Split them into two records, or name towns instead of whole countries.", size, MaxBytes)})
}

// Evaluate calculates the contribution of a record of the given type and canonical
// fields in an event's context. It is for stored records;
// a decoded body has its evaluation, see Figures.
func Evaluate(typ string, fields json.RawMessage, notices []footprint.Notice, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	evaluation, err := footprint.Evaluate(typ, fields, ev)
	if err != nil {
		return nil, nil, err
	}
	return Figures(&evaluation, notices, ev)
}

// Under returns the record with its figures in the context of its event: the stored ones
// if they belong to that context, as for every record counted since
// the context changed, otherwise recalculated ones. If the event's factors have none for the record,
// the stored ones are kept, and name their factor set.
func (r Record) Under(ev Event) Record {
	if r.ContextRev >= ev.ContextRev {
		return r
	}
	preview, contribution, err := Evaluate(r.Type, r.Fields, r.Notices, ev.Context())
	if err != nil {
		return r
	}
	r.Preview, r.Contribution, r.ContextRev = preview, contribution, ev.ContextRev
	return r
}

// Figures returns the stored form of an evaluation under an event's context:
// the preview that clients see, with the given notices of decoding first, and
// the exact contribution that is summed.
func Figures(evaluation *footprint.Evaluation, notices []footprint.Notice, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	of := total.Of(evaluation)
	shown := of.Preview(evaluation, ev.FactorSet)
	shown.Notices = append(append([]footprint.Notice{}, notices...), shown.Notices...)
	if preview, err = shown.AppendJSON(make([]byte, 0, 256)); err != nil {
		return nil, nil, fmt.Errorf("preview: %w", err)
	}
	// json.Marshal would parse the result once more.
	if contribution, err = of.MarshalJSON(); err != nil {
		return nil, nil, fmt.Errorf("contribution: %w", err)
	}
	return preview, contribution, nil
}

// SetInput sets the decoded input of the record and what is calculated from it in the
// context of its event, which has the number contextRev. It returns an error for the
// client if the reference is invalid or the record too large, and then changes nothing.
func (r *Record) SetInput(d footprint.Decoded, at footprint.EventContext, contextRev int64) error {
	if d.ExternalReference != r.Reference {
		if err := CheckReference(d.ExternalReference); err != nil {
			return err
		}
	}
	preview, contribution, err := Figures(&d.Evaluation, d.Notices, at)
	if err != nil {
		return err
	}
	if err := CheckSize(d.Fields, preview, contribution); err != nil {
		return err
	}
	r.Fields, r.Reference, r.Notices = d.Fields, d.ExternalReference, d.Notices
	r.Preview, r.Contribution, r.ContextRev = preview, contribution, contextRev
	return nil
}

// ChangedFields returns the names of the fields that differ between two JSON objects,
// sorted.
func ChangedFields(before, after json.RawMessage) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
		return nil
	}
	var changed []string
	for name, value := range a {
		if string(b[name]) != string(value) {
			changed = append(changed, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}
