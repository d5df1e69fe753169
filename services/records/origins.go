package records

import (
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// origins lists the rows of a record of attendee travel: numbers of people by origin, with the
// places found. Records of other types have none.
func (s *server) origins(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	r, err := s.record(c, teams.Key(c))
	if err != nil {
		return err
	}
	rows, err := footprint.Origins(r.Type, r.Fields)
	if err != nil {
		return err
	}
	total := int64(len(rows))
	tag := pageTag("origins "+string(r.ID), page, r.Rev, nil)
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	from, to := page.Within(total)
	items := append([]json.RawMessage{}, rows[from:to]...)
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, web.NewList(items, page, total))
}
