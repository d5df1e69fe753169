package mongox

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Wrap adds to an error of the driver what was being done. Where the server
// could not be reached or could not serve (IsOutage), the error is UNAVAILABLE:
// nothing is wrong with what was asked, and it may be asked again. Wrap of nil
// is nil.
func Wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("%s: %w", verb, err)
	if IsOutage(err) {
		return apperr.New(apperr.Unavailable, "The database cannot be reached right now.").Because(wrapped)
	}
	return wrapped
}
