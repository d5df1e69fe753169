package records

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// history lists the moves of a record with their actors, newest first. Every revision has one
// entry and entries never change, so the page, its tag and the total follow from the revision
// of the record. Managers may also read it of deleted records.
func (s *server) history(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	r, err := s.recordEver(c, teams.Key(c))
	if err != nil {
		return err
	}
	total := r.Last.Rev
	tag := pageTag("history "+string(r.ID), page, total, nil)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	high := total - min(page.Offset(), total)
	low := max(1, high-page.Limit+1)
	var entries []record.Entry
	if high == total {
		// A move that failed before its write may have stored an entry for the newest revision;
		// the record's own entry is the valid one.
		entries, high = append(entries, r.Last), high-1
	}
	if low <= high {
		older, err := s.Store.EntryRange(c.UserContext(), teams.Org(c), r.ID, low, high)
		if err != nil {
			return err
		}
		entries = append(entries, older...)
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, web.NewList(entries, page, total))
}
