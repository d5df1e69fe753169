package records

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// eventHistory lists who did what to an event, newest first. Every revision has
// one entry and entries never change, so the page, its tag and the total are
// known from the event. The history of an event from before histories were kept
// begins with what was found; until its first change that is computed. Managers
// read it of deleted events too.
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
		// A change that died before its write may have stored an entry under the
		// newest revision; the event's own is the one that counts.
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
		entries[i].Once = "" // nobody's business but the request's
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, web.NewList(entries, page, total))
}
