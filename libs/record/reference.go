package record

import (
	"context"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// References finds records by what their clients call them.
type References interface {
	RecordByReference(ctx context.Context, org OrgID, sub Sub, reference string) (Record, error)
}

// BadReference returns the error of a reference that cannot be part of a path: clients and
// proxies treat . and .. as path segments to normalize, encoded or not.
func BadReference(reference string) (apperr.Detail, bool) {
	return apperr.Detail{Field: "externalReference", Code: "NOT_ALLOWED",
		Message: fmt.Sprintf("externalReference must not be %q, because it could not be used in a path.", reference),
	}, reference == "." || reference == ".."
}

// MisleadingReference returns the error of a reference, taken from a path, that would mislead its
// readers; the reader of a body has checked what it says.
func MisleadingReference(reference string) (apperr.Detail, bool) {
	misleading := fields.Misleading(reference)
	return apperr.Detail{Field: "externalReference", Code: fields.BadFormat,
		Message: fmt.Sprintf("externalReference must not contain %s.", misleading)}, misleading != ""
}

// CheckReference refuses the references that no path can name.
func CheckReference(reference string) error {
	if fault, bad := BadReference(reference); bad {
		return apperr.Invalid(fault)
	}
	return nil
}

// duplicateReference is the error for a reference that another record has. It names that record if it still exists.
func duplicateReference(ctx context.Context, in References, org OrgID, r Record) error {
	d := apperr.Detail{Field: "externalReference", Code: "DUPLICATE",
		Message: "A reference must be unique within an event and type. Use another one, or update the record that has it."}
	if owner, err := in.RecordByReference(ctx, org, r.Key().Sub(), r.Reference); err == nil && owner.ID != r.ID {
		d = DuplicateDetail(owner)
	}
	return apperr.New(apperr.DuplicateReference, "Another %s record of this event has this externalReference.", r.Type).With(d)
}

// DuplicateDetail is the error of a reference that owner has.
func DuplicateDetail(owner Record) apperr.Detail {
	return apperr.Detail{
		Field: "externalReference", Code: "DUPLICATE", RecordID: string(owner.ID), Status: string(owner.Status),
		Message: fmt.Sprintf("The record %s (%s) already has this reference. Use another one, or update that record.", owner.ID, owner.Status),
	}
}

// DuplicateEventReference is the refusal of a reference that another event has. It
// names that event where it is still there.
func DuplicateEventReference(ctx context.Context, in interface {
	EventByReference(ctx context.Context, org OrgID, reference string) (Event, error)
}, org OrgID, e Event) error {
	d := apperr.Detail{Field: "externalReference", Code: "DUPLICATE",
		Message: "A reference must be unique within an organization. Use another one, or change the event that has it."}
	if owner, err := in.EventByReference(ctx, org, e.Reference); err == nil && owner.ID != e.ID {
		d.EventID = string(owner.ID)
		d.Message = fmt.Sprintf("The event %s already has this reference. Use another one, or change that event.", owner.ID)
	}
	return apperr.New(apperr.DuplicateReference, "Another event of this organization has this externalReference.").With(d)
}
