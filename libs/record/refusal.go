package record

import (
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// CheckType returns TYPE_NOT_FOUND for anything but the name of a record type.
// A path names a sub-collection only after it has passed here.
func CheckType(name string) error {
	if footprint.Known(name) {
		return nil
	}
	return apperr.New(apperr.TypeNotFound, "There is no record type with this name.").
		With(apperr.Detail{Field: "type", Code: "UNKNOWN_TYPE",
			Message: "The record types are in suggestions.", Suggestions: footprint.TypesLike(name)})
}

// NoSuchEvent is what a client hears of an event that does not exist, was
// deleted, or is another organization's: the same in all three cases.
func NoSuchEvent() error { return apperr.New(apperr.EventNotFound, "There is no such event.") }

// NoSuchRecord is NoSuchEvent for a record.
func NoSuchRecord() error { return apperr.New(apperr.RecordNotFound, "There is no such record.") }

// EventMoved is what a client hears whose If-Match names an earlier state of an event.
func EventMoved() error {
	return apperr.New(apperr.PreconditionFailed, "The event has changed since you read it. Read it again before you decide.")
}
