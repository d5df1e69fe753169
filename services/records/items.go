package records

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

func subOf(c *fiber.Ctx) record.Sub {
	return teams.Key(c).Sub()
}

// decoding returns the options for decoding that the client requested, with the supplier
// factors of its organization.
func (s *server) decoding(c *fiber.Ctx) footprint.Options {
	o := record.DecodeOptions(c.UserContext(), s.Store, teams.Org(c), web.Strict(c))
	o.Hints = &footprint.Hints{} // shared by all records of a batch
	return o
}

// decodeFor decodes the body of a record under the context of its event. If the event does not
// exist (its error is lookup), errors of the body that do not depend on the event are reported
// first.
func decodeFor(typ string, body []byte, event record.Event, lookup error, decoding footprint.Options) (footprint.Decoded, error) {
	if lookup == nil {
		return decoding.Decode(typ, body, event.Context())
	}
	if apperr.CodeOf(lookup) == apperr.EventNotFound {
		newest := factors.Sets()[0]
		neutral := footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: newest.ID}
		if _, err := decoding.Decode(typ, body, neutral); err != nil {
			return footprint.Decoded{}, err
		}
	}
	return footprint.Decoded{}, lookup
}

func (s *server) createRecord(c *fiber.Ctx) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	key := record.Key{Event: teams.EventID(c), Type: c.Params("type"), ID: record.ID(w.Request.NewID(0))}
	if w.Request.Resumed {
		if made, err := s.Store.Record(c.UserContext(), w.Org, key); err == nil {
			return answerRecord(c, made)
		} else if !errors.Is(err, record.ErrNotFound) {
			return err
		}
	}
	event, lookup := s.writableEvent(c)
	decoded, err := decodeFor(key.Type, body, event, lookup, s.decoding(c))
	if err != nil {
		return err
	}
	r, err := recordOf(key, decoded, event)
	if err != nil {
		return err
	}
	web.Notify(c, decoded.Dropped...)
	r, err = w.Workflow.Insert(c.UserContext(), w.Org, r, w.By)
	if w.Request.Keyed() && errors.Is(err, record.ErrDuplicate) {
		// An attempt whose lease had expired has been faster.
		r, err = s.record(c, key)
	}
	if err != nil {
		return err
	}
	return answerRecord(c, r)
}

// recordOf returns the record for a decoded body, with its figures in the context of its event.
func recordOf(key record.Key, d footprint.Decoded, event record.Event) (record.Record, error) {
	r := record.Record{ID: key.ID, Event: key.Event, Type: key.Type}
	err := r.SetInput(d, event.Context(), event.ContextRev)
	return r, err
}

// record reads a record. Records of a deleted event do not exist.
func (s *server) record(c *fiber.Ctx, key record.Key) (record.Record, error) {
	if _, err := s.event(c); err != nil {
		if apperr.CodeOf(err) == apperr.EventNotFound {
			err = record.NoSuchRecord()
		}
		return record.Record{}, err
	}
	r, err := s.Store.Record(c.UserContext(), teams.Org(c), key)
	if errors.Is(err, record.ErrNotFound) {
		return r, record.NoSuchRecord()
	}
	return r, err
}

// recordEver reads a record for its history, which managers may also read of deleted records
// and of records of deleted events.
func (s *server) recordEver(c *fiber.Ctx, key record.Key) (record.Record, error) {
	r, err := s.record(c, key)
	if apperr.CodeOf(err) != apperr.RecordNotFound || !web.PrincipalOf(c).Role.Holds(identity.Manager) {
		return r, err
	}
	found, failure := s.Store.RecordsByID(c.UserContext(), teams.Org(c), []record.ID{key.ID})
	if failure != nil {
		return r, failure
	}
	if len(found) != 1 || found[0].Key() != key {
		return r, err
	}
	return found[0], nil
}

func answerRecord(c *fiber.Ctx, r record.Record) error {
	r = teams.Under(c, r)
	c.Set(fiber.HeaderETag, r.ETag())
	return web.Created(c, r, web.BasePath+"/events/"+string(r.Event)+"/"+r.Type+"/"+string(r.ID))
}

func (s *server) getRecord(c *fiber.Ctx) error {
	r, err := s.record(c, teams.Key(c))
	if err != nil {
		return err
	}
	if !r.Visible(web.PrincipalOf(c).Role) {
		return record.NoSuchRecord()
	}
	r = teams.Under(c, r)
	tag := r.ETag()
	if views(c) {
		r, tag = r.WithoutComments(), viewersTag(tag)
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, r)
}

func (s *server) editRecord(c *fiber.Ctx) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	// What cannot be read is reported before the record is looked up. Values are checked with
	// those of the record.
	if _, err := patchBody(nil, body); err != nil {
		return err
	}
	event, err := s.writableEvent(c)
	if err != nil {
		return err
	}
	decoding := s.decoding(c)
	var dropped []fields.Notice
	var before record.Record
	r, err := s.applied(c, record.Request{Key: teams.Key(c), Move: record.Edit, Change: func(r *record.Record) ([]string, error) {
		before = *r
		merged, err := patchBody(r.Fields, body)
		if err != nil {
			return nil, err
		}
		decoded, err := decoding.Decode(r.Type, merged, event.Context())
		if err != nil {
			return nil, err
		}
		dropped = decoded.Dropped
		changed := record.ChangedFields(r.Fields, decoded.Fields)
		return changed, r.SetInput(decoded, event.Context(), event.ContextRev)
	}})
	if err != nil {
		return err
	}
	web.Notify(c, dropped...)
	c.Set(fiber.HeaderETag, r.ETag())
	if dry, err := web.DryRun(c); err != nil || !dry || r.Type != footprint.AttendeeTravel {
		return errors.Join(err, web.OK(c, r))
	}
	effect, err := s.whatIfTo(c, event, before, r)
	if err != nil {
		return err
	}
	answer, err := withWhatIf(r, effect)
	if err != nil {
		return err
	}
	return web.OK(c, answer)
}

func (s *server) deleteRecord(c *fiber.Ctx) error {
	r, err := s.applied(c, record.Request{Key: teams.Key(c), Move: record.Delete})
	if err != nil {
		return err
	}
	return answerDeleted(c, r)
}

func answerDeleted(c *fiber.Ctx, r record.Record) error {
	if err := auditDeletion(c, r.Key().Sub(), r.ID); err != nil {
		return err
	}
	return web.OK(c, fiber.Map{"_id": r.ID, "deleted": true})
}

// move returns the handler of a move without a body.
func (s *server) move(m record.Move) fiber.Handler {
	return func(c *fiber.Ctx) error {
		r, err := s.applied(c, record.Request{Key: teams.Key(c), Move: m})
		if err != nil {
			return err
		}
		r = teams.Under(c, r)
		c.Set(fiber.HeaderETag, r.ETag())
		return web.OK(c, r)
	}
}

// applied makes the transition if the record is as the client has seen it (If-Match), too.
func (s *server) applied(c *fiber.Ctx, request record.Request) (record.Record, error) {
	w, err := s.writes.Begin(c)
	if err != nil {
		return record.Record{}, err
	}
	if tags, ok := web.IfMatch(c); ok {
		seen, further := record.MatchRecord(tags), request.IfMatch
		request.IfMatch = func(r record.Record) bool { return seen(r) && (further == nil || further(r)) }
	}
	if _, err := s.writableEvent(c); err != nil {
		return record.Record{}, err
	}
	return w.Apply(c.UserContext(), request)
}
