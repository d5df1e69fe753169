package calculation

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// explained lists the counted records with their formulas, factors and sources:
// by type in the fixed order of types, newest first within a type.
func (s *server) explained(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	due, err := s.due(c.UserContext(), ev)
	if err != nil {
		return err
	}
	result, err := s.Results.Result(c.UserContext(), ev.Org, ev.ID)
	if errors.Is(err, resulttree.ErrNotFound) {
		return web.OK(c, web.NewList([]explain.Record{}, page, 0))
	}
	if err != nil {
		return err
	}
	tag, err := s.explainTag(ev, result, due, page)
	if err != nil {
		return err
	}
	if tag != "" && web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	sum, err := result.Sum()
	if err != nil {
		return err
	}
	variance := sum.Variance()
	part, total, err := s.reader.Page(c.UserContext(), ev.Org, ev.ID, page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	items := make([]explain.Record, 0, len(part))
	for _, counted := range part {
		r, err := explain.Of(counted, result.Context, variance)
		if err != nil {
			// Approved since, and not calculated yet; it may prove impossible.
			continue
		}
		items = append(items, r)
	}
	if err := s.keepTag(c, ev, tag); err != nil {
		return err
	}
	return web.OK(c, web.NewList(items, page, total))
}
