package records

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// eventHistory lists the changes of an event with their actors, newest first. Every revision
// has one entry and entries never change, so the page, its tag and the total follow from the
// event. The history of an event older than histories begins with a computed entry, until its
// first change. Managers may also read it of deleted events.
func (s *server) eventHistory(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	event, err := s.eventEver(c)
	if err != nil {
		return err
	}
	event = record.Adopted(event)
	total := event.Rev - event.Begin + 1
	tag := pageTag("history "+string(event.ID), page, total, nil)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	entries := []record.EventEntry{}
	high := event.Rev - min(page.Offset(), total)
	low := max(event.Begin, high-page.Limit+1)
	if high == event.Rev && low <= high {
		// A change that failed before its write may have stored an entry for the newest
		// revision; the event's own entry is the valid one.
		entries, high = append(entries, event.Last), high-1
	}
	if low <= high {
		older, err := s.Store.EventEntries(c.UserContext(), orgOf(c), event.ID, low, high)
		if err != nil {
			return err
		}
		slices.Reverse(older)
		entries = append(entries, older...)
	}
	for i := range entries {
		entries[i].Once = "" // internal to the request
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, web.NewList(entries, page, total))
}
