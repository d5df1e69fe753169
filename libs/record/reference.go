package record

import (
	"context"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// References finds records by what their clients call them.
type References interface {
	RecordByReference(ctx context.Context, org OrgID, sub Sub, reference string) (Record, error)
}

// CheckReference refuses the references that no path can name: clients and
// proxies take . and .. for steps in the path, encoded or not.
func CheckReference(reference string) error {
	if reference != "." && reference != ".." {
		return nil
	}
	return apperr.Invalid(apperr.Detail{Field: "externalReference", Code: "NOT_ALLOWED",
		Message: fmt.Sprintf("externalReference cannot be %q: no path could name the record.", reference)})
}

// duplicateReference is the refusal of a reference that another record has. It
// names that record where it is still there.
func duplicateReference(ctx context.Context, in References, org OrgID, r Record) error {
	d := apperr.Detail{Field: "externalReference", Code: "DUPLICATE",
		Message: "A reference is used once in an event and type. Use another one, or update the record that has it."}
	if owner, err := in.RecordByReference(ctx, org, r.Key().Sub(), r.Reference); err == nil && owner.ID != r.ID {
		d = DuplicateDetail(owner)
	}
	return apperr.New(apperr.DuplicateReference, "Another %s record of this event has this externalReference.", r.Type).With(d)
}

// DuplicateDetail is the fault of a reference that owner has.
func DuplicateDetail(owner Record) apperr.Detail {
	return apperr.Detail{
		Field: "externalReference", Code: "DUPLICATE", RecordID: string(owner.ID), Status: string(owner.Status),
		Message: fmt.Sprintf("The record %s, which is %s, has this reference. Use another one, or update that record.", owner.ID, owner.Status),
	}
}
