package calculation

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// maxAttendees is the most that an event may have.
const maxAttendees = 10_000_000

// rehearseEvent serves the effect of changes of an event on its figures, all of them together. Nothing is stored or
// proposed.
func (s *server) rehearseEvent(c *fiber.Ctx) error {
	before, err := s.event(c)
	if err != nil {
		return err
	}
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	after := before
	if err := readRehearsal(c, r, &after); err != nil {
		return err
	}
	if err := web.Finish(c, r); err != nil {
		return err
	}
	effect, err := s.effectOf(c.UserContext(), before, after)
	if err != nil {
		return err
	}
	return web.OK(c, effect)
}

// readRehearsal reads the changes to try. Absent fields keep the event's values.
func readRehearsal(c *fiber.Ctx, r *fields.Reader, event *record.Event) error {
	r.RequireOneOf("method", "factorSet", "attendees")
	if m, ok := r.Object("method"); ok {
		if v, ok := m.Bool("radiativeForcing"); ok {
			event.Method.RadiativeForcing = v
		}
		if v, ok := m.Enum("gwp", "published", "AR6"); ok {
			event.Method.GWP = v
		}
		if v, ok := m.Enum("engine", footprint.Engines()...); ok {
			event.Method.Engine = footprint.Pin(v)
		}
	}
	if id, ok := r.String("factorSet", 1, 100); ok {
		set, err := readSet(c, r, id)
		if err != nil {
			return err
		}
		if set != nil {
			event.FactorSet = set.ID
		}
	}
	if n, ok := r.Integer("attendees", 0, maxAttendees); ok {
		event.Attendees = &n
	}
	return nil
}
