package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// referenceOf returns the reference in the path, decoded once.
func referenceOf(c *fiber.Ctx) (string, error) {
	reference, err := url.PathUnescape(c.Params(api.Reference))
	if err != nil {
		return "", record.NoSuchRecord()
	}
	return reference, nil
}

// recordByReference reads the record with the reference in the path.
func (s *server) recordByReference(c *fiber.Ctx) (record.Record, error) {
	reference, err := referenceOf(c)
	if err != nil {
		return record.Record{}, err
	}
	if _, err := s.event(c); err != nil {
		return record.Record{}, err
	}
	r, err := s.Store.RecordByReference(c.UserContext(), teams.Org(c), subOf(c), reference)
	if errors.Is(err, record.ErrNotFound) {
		return record.Record{}, record.NoSuchRecord()
	}
	return r, err
}

func (s *server) getByReference(c *fiber.Ctx) error {
	r, err := s.recordByReference(c)
	if err != nil {
		return err
	}
	r = teams.Under(c, r)
	c.Set(fiber.HeaderETag, r.ETag())
	return web.OK(c, r)
}

// deleteByReference deletes the record that has the reference in the path. A repetition never deletes another record
// that was given the reference after an interrupted attempt had deleted the first one.
func (s *server) deleteByReference(c *fiber.Ctx) error {
	reference, err := referenceOf(c)
	if err != nil {
		return err
	}
	for range editAttempts {
		found, lookup := s.recordByReference(c)
		// If the reference has passed on since this request deleted its record, the deletion is visible by now.
		r, made, err := s.deletedBefore(c, reference)
		switch {
		case err != nil:
			return err
		case made:
			return answerDeleted(c, r)
		case lookup != nil:
			return lookup
		}
		passedOn := false
		r, err = s.applied(c, record.Request{Key: found.Key(), Move: record.Delete, IfMatch: func(r record.Record) bool {
			passedOn = r.Reference != reference
			return !passedOn
		}})
		switch {
		case err == nil:
			return answerDeleted(c, r)
		case !passedOn && apperr.CodeOf(err) != apperr.RecordNotFound:
			return err
		}
	}
	return apperr.Overtaken("record")
}

// deletedBefore returns the record with the reference that an earlier attempt of the request deleted.
func (s *server) deletedBefore(c *fiber.Ctx, reference string) (r record.Record, made bool, err error) {
	request := idempotency.Of(c)
	if !request.Resumed {
		return record.Record{}, false, nil
	}
	gone, err := s.Store.DeletedByReference(c.UserContext(), teams.Org(c), subOf(c), reference)
	for _, r := range gone {
		if r.Last.Once == request.Once() {
			return r, true, nil
		}
	}
	return record.Record{}, false, err
}

// putByReference creates the record with a reference, or replaces its fields.
func (s *server) putByReference(c *fiber.Ctx) error {
	reference, err := referenceOf(c)
	if err != nil {
		return err
	}
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	if body, err = withReference(body, reference); err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	event, lookup := s.writableEvent(c)
	decoded, err := decodeFor(c.Params("type"), body, event, lookup, s.decoding(c))
	if err != nil {
		return err
	}
	web.Notify(c, decoded.Dropped...)
	u := upsert{Write: w, sub: subOf(c), event: event, decoded: decoded}
	if tags, ok := web.IfMatch(c); ok {
		u.ifMatch = record.MatchRecord(tags)
	}
	u.onlyNew = web.IfNoneMatchAny(c)
	r, done, err := u.put(c.UserContext())
	if err != nil {
		return err
	}
	r = r.Under(event)
	c.Set(fiber.HeaderETag, r.ETag())
	if done == created {
		return answerRecord(c, r)
	}
	return web.OK(c, r)
}

// withReference returns the body of a record with the reference in the path as its
// externalReference, which must not differ.
func withReference(body []byte, reference string) ([]byte, error) {
	if _, err := fields.Parse(body); err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &all); err != nil {
			return nil, fmt.Errorf("read body: %w", err)
		}
	}
	var stated *string
	if json.Unmarshal(all["externalReference"], &stated) == nil && stated != nil && *stated != reference {
		return nil, apperr.Invalid(apperr.Detail{Field: "externalReference", Code: fields.NotAllowed,
			Message: fmt.Sprintf("externalReference must match the reference in the path, %q, or be left out; got %q.", reference, *stated)})
	}
	if value := string(all["externalReference"]); value == "" || value == "null" {
		text, err := json.Marshal(reference)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		all["externalReference"] = text
	}
	return json.Marshal(all)
}
