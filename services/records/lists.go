package records

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// listing is a list whose items are numbered in the order they came.
type listing[T any] struct {
	// name tells this list from all others.
	name      string
	span      func(ctx context.Context, skip, limit int64) (record.Span, error)
	revisions func(ctx context.Context, from, to int64) ([]record.Revision, error)
	items     func(ctx context.Context, from, to int64) ([]T, error)
	// revision is what the appearance of an item depends on.
	revision func(T) record.Revision
}

func (s *server) listRecords(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	if _, err := s.event(c); err != nil {
		return err
	}
	if views(c) {
		return s.listApproved(c, page)
	}
	org, sub := orgOf(c), subOf(c)
	return serve(c, page, listing[record.Record]{
		name: "records " + string(sub.Event) + " " + sub.Type,
		span: func(ctx context.Context, skip, limit int64) (record.Span, error) {
			return s.Store.RecordSpan(ctx, org, sub, skip, limit)
		},
		revisions: func(ctx context.Context, from, to int64) ([]record.Revision, error) {
			return s.Store.RecordRevisions(ctx, org, sub, from, to)
		},
		items: func(ctx context.Context, from, to int64) ([]record.Record, error) {
			return s.Store.RecordRange(ctx, org, sub, from, to)
		},
		revision: func(r record.Record) record.Revision {
			return record.Revision{Number: r.Seq, Rev: r.Rev, ContextRev: r.ContextRev}
		},
	})
}

func (s *server) listEvents(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	org := orgOf(c)
	return serve(c, page, listing[record.Event]{
		name: "events " + string(org),
		span: func(ctx context.Context, skip, limit int64) (record.Span, error) {
			return s.Store.EventSpan(ctx, org, skip, limit)
		},
		revisions: func(ctx context.Context, from, to int64) ([]record.Revision, error) {
			return s.Store.EventRevisions(ctx, org, from, to)
		},
		items: func(ctx context.Context, from, to int64) ([]record.Event, error) {
			events, err := s.Store.EventRange(ctx, org, from, to)
			for i := range events {
				events[i] = eventFor(c, events[i])
			}
			return events, err
		},
		revision: func(e record.Event) record.Revision { return record.Revision{Number: e.Slot, Rev: e.Rev} },
	})
}

// listAttempts bounds how often a page is looked for anew when something was
// deleted from it.
const listAttempts = 10

// serve answers with one page, newest first. Numbers are dense but for the
// deleted ones, so the page is found by arithmetic and read as one range, at the
// same cost wherever it lies.
//
// Who has the page already is told so without it being read: its tag is made of
// what it depends on. An item that was deleted between finding the page and
// reading it is missed by its count, and the page is found anew.
func serve[T any](c *fiber.Ctx, page web.Page, l listing[T]) error {
	ctx := c.UserContext()
	for range listAttempts {
		span, err := l.span(ctx, page.Offset(), page.Limit)
		if err != nil {
			return err
		}
		if c.Get(fiber.HeaderIfNoneMatch) != "" {
			revisions, err := rangeOf(ctx, l.revisions, span)
			if err != nil {
				return err
			}
			if tag := pageTag(l.name, page, span.Total, revisions); int64(len(revisions)) == span.Count && web.NotModified(c, tag) {
				return web.SendNotModified(c, tag)
			}
		}
		items, err := rangeOf(ctx, l.items, span)
		if err != nil {
			return err
		}
		if int64(len(items)) == span.Count {
			revisions := make([]record.Revision, len(items))
			for i, item := range items {
				revisions[i] = l.revision(item)
			}
			c.Set(fiber.HeaderETag, pageTag(l.name, page, span.Total, revisions))
			return web.OK(c, web.NewList(items, page, span.Total))
		}
	}
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Many items are being deleted at once. Please try again."}
}

// rangeOf reads what lies in a span.
func rangeOf[T any](ctx context.Context, read func(ctx context.Context, from, to int64) ([]T, error), span record.Span) ([]T, error) {
	if span.Count == 0 {
		return nil, nil
	}
	return read(ctx, span.Low, span.High)
}

// pageTag returns the entity tag of a page: of all that its bytes depend on.
func pageTag(name string, page web.Page, total int64, revisions []record.Revision) string {
	place := fmt.Sprint(page.Number, " ", page.Limit, " ", total)
	return web.ETagOf(name, place, revisionText(revisions))
}

// revisionText says in one text what revisions say.
func revisionText(revisions []record.Revision) string {
	numbers := make([]byte, 0, 16*len(revisions))
	for _, r := range revisions {
		for _, n := range []int64{r.Number, r.Rev, r.ContextRev} {
			numbers = append(strconv.AppendInt(numbers, n, 10), ' ')
		}
	}
	return string(numbers)
}
