package records

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// history lists who did what to a record, newest first.
func (s *server) history(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	r, err := s.record(c, keyOf(c))
	if err != nil {
		return err
	}
	entries, err := s.Store.Entries(c.UserContext(), orgOf(c), r.ID)
	if err != nil {
		return err
	}
	// A move that died before its write may have stored the newest entry
	// already; the record's own is the one that counts.
	entries = slices.DeleteFunc(entries, func(e record.Entry) bool { return e.Rev >= r.Last.Rev })
	entries = append(entries, r.Last)
	slices.Reverse(entries)
	total := int64(len(entries))
	from := min(page.Offset(), total)
	return web.OK(c, web.NewList(entries[from:min(from+page.Limit, total)], page, total))
}
