package fields

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// maxFaults bounds the answer to a hostile body.
const maxFaults = 100

type faults struct {
	list []apperr.Detail
	more int
	// cut: not everything was looked at.
	cut bool
}

// add adds an error, unless there is one that the same field is missing: an empty text or list is one mistake.
func (f *faults) add(d apperr.Detail) {
	if d.Field != "" && d.Code != Required && slices.ContainsFunc(f.list, func(other apperr.Detail) bool { return other.Field == d.Field && other.Code == Required }) {
		return
	}
	if len(f.list) >= maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, d)
}

// suggest stores suggestions for a missing field.
func (f *faults) suggest(path string, allowed []string) {
	for i := range f.list {
		if d := &f.list[i]; d.Field == path && d.Code == Required && d.Suggestions == nil {
			d.Suggestions = slices.Clone(allowed)
		}
	}
}

// Faults returns the number of errors so far.
func (r *Reader) Faults() int { return len(r.faults.list) }

// Cut reports whether more errors were found than are reported. Further checks can then be
// skipped, because they would only change the number of errors.
func (r *Reader) Cut() bool {
	r.faults.cut = r.faults.more > 0
	return r.faults.cut
}

// Err is nil, or a VALIDATION_ERROR with all errors.
func (r *Reader) Err() error {
	if len(r.faults.list) == 0 {
		return nil
	}
	details := slices.Clone(r.faults.list)
	r.hint(details)
	if r.faults.more > 0 {
		least := ""
		if r.faults.cut {
			least = "At least "
		}
		details = append(slices.Clip(details), apperr.Detail{Code: TooManyFaults,
			Message: fmt.Sprintf("%s%d more faults are not listed.", least, r.faults.more)})
	}
	return apperr.Invalid(details...)
}
