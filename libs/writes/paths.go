package writes

import (
	"errors"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Under returns err with the paths of its details prefixed, as by "items[3]",
// so that they are relative to the whole body.
func Under(prefix string, err error) error {
	var e *apperr.Error
	if !errors.As(err, &e) || e.Code != apperr.ValidationError && e.Code != apperr.DuplicateReference {
		return err
	}
	moved := *e
	moved.Details = slices.Clone(e.Details)
	for i, d := range moved.Details {
		if d.Field == "" {
			moved.Details[i].Field = prefix
			continue
		}
		moved.Details[i].Field = prefix + "." + d.Field
	}
	return &moved
}

// outside returns err without the details whose paths begin with prefix; nil if none is left.
func outside(err error, prefix string) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(e.Details), func(d apperr.Detail) bool { return strings.HasPrefix(d.Field, prefix) })
	if len(rest) == 0 {
		return nil
	}
	return apperr.Invalid(rest...)
}
