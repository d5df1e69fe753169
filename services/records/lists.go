package records

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// appearance is all that the bytes of a list item depend on.
type appearance struct {
	record.Revision
	summary string // of an event; empty for a record
}

func appearances(revisions []record.Revision, err error) ([]appearance, error) {
	all := make([]appearance, len(revisions))
	for i, r := range revisions {
		all[i].Revision = r
	}
	return all, err
}

// listing is a list whose items are numbered in order of creation.
type listing[T any] struct {
	// name identifies the list, in all organizations.
	name string
	// view distinguishes callers who see the same items differently.
	view      string
	span      func(ctx context.Context, skip, limit int64) (record.Span, error)
	revisions func(ctx context.Context, from, to int64) ([]appearance, error)
	items     func(ctx context.Context, from, to int64) ([]T, error)
	// appearance returns all that the bytes of an item depend on.
	appearance func(T) appearance
}

func (s *server) listRecords(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	event, err := s.event(c)
	if err != nil {
		return err
	}
	if views(c) {
		return s.listApproved(c, event, page)
	}
	org, sub := teams.Org(c), subOf(c)
	return serve(c, s.answers, page, listing[record.Record]{
		// Figures of records depend on the context of their event.
		name: "records " + string(sub.Event) + " " + sub.Type + " " + strconv.FormatInt(event.ContextRev, 10),
		span: func(ctx context.Context, skip, limit int64) (record.Span, error) {
			return s.Store.RecordSpan(ctx, org, sub, skip, limit)
		},
		revisions: func(ctx context.Context, from, to int64) ([]appearance, error) {
			all, err := appearances(s.Store.RecordRevisions(ctx, org, sub, from, to))
			for i := range all {
				all[i].ContextRev = 0 // it is in the name
			}
			return all, err
		},
		items: func(ctx context.Context, from, to int64) ([]record.Record, error) {
			items, err := s.Store.RecordRange(ctx, org, sub, from, to)
			for i := range items {
				items[i] = items[i].Under(event)
			}
			return items, err
		},
		appearance: func(r record.Record) appearance {
			return appearance{Revision: record.Revision{Number: r.Seq, Rev: r.Rev}}
		},
	})
}

func (s *server) listEvents(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	org, events := teams.Org(c), s.eventsFor(c)
	turn := s.longPages.of(org)
	defer turn.end()
	return serve(c, s.answers, page, listing[record.EventView]{
		name: "events " + string(org),
		view: web.PrincipalOf(c).UserID + " " + web.PrincipalOf(c).Role.String(),
		span: events.span,
		revisions: func(ctx context.Context, from, to int64) ([]appearance, error) {
			return s.eventAppearances(ctx, org, events, from, to)
		},
		items: func(ctx context.Context, from, to int64) ([]record.EventView, error) {
			return s.eventViews(c, turn, events, from, to)
		},
		appearance: func(v record.EventView) appearance {
			return appearance{record.Revision{Number: v.Slot, Rev: v.Rev, Event: v.ID}, v.Summary.Version()}
		},
	})
}

// visibleEvents reads the events visible to the caller.
type visibleEvents struct {
	span      func(ctx context.Context, skip, limit int64) (record.Span, error)
	items     func(ctx context.Context, from, to int64) ([]record.Event, error)
	revisions func(ctx context.Context, from, to int64) ([]record.Revision, error)
}

// eventsFor returns the events visible to the caller: all for an administrator, otherwise those
// without a team and those of the caller's teams.
func (s *server) eventsFor(c *fiber.Ctx) visibleEvents {
	org, member := teams.Org(c), web.PrincipalOf(c).UserID
	if web.PrincipalOf(c).Role.Holds(identity.Admin) {
		return visibleEvents{
			span: func(ctx context.Context, skip, limit int64) (record.Span, error) {
				return s.Store.EventSpan(ctx, org, skip, limit)
			},
			items: func(ctx context.Context, from, to int64) ([]record.Event, error) {
				return s.Store.EventRange(ctx, org, from, to)
			},
			revisions: func(ctx context.Context, from, to int64) ([]record.Revision, error) {
				return s.Store.EventRevisions(ctx, org, from, to)
			},
		}
	}
	return visibleEvents{
		span: func(ctx context.Context, skip, limit int64) (record.Span, error) {
			return s.Store.VisibleSpan(ctx, org, member, skip, limit)
		},
		items: func(ctx context.Context, from, to int64) ([]record.Event, error) {
			return s.Store.VisibleRange(ctx, org, member, from, to)
		},
		revisions: func(ctx context.Context, from, to int64) ([]record.Revision, error) {
			return s.Store.VisibleRevisions(ctx, org, member, from, to)
		},
	}
}

// eventAppearances reads the appearances of a page of events, without the events.
func (s *server) eventAppearances(ctx context.Context, org record.OrgID, events visibleEvents, from, to int64) ([]appearance, error) {
	all, err := appearances(events.revisions(ctx, from, to))
	if err != nil {
		return nil, err
	}
	ids := make([]record.EventID, len(all))
	for i, a := range all {
		ids[i] = a.Event
	}
	summaries, err := s.Store.Summaries(ctx, org, ids)
	for i, id := range ids {
		all[i].summary = summaries[id].Version()
	}
	return all, err
}

// wholeRange reads the events from ≤ Slot ≤ to. If they are more than one read returns, it
// waits for its turn before holding more: a hundred events can have hundreds of megabytes.
func (v visibleEvents) wholeRange(ctx context.Context, turn *pageTurn, from, to int64) (events []record.Event, err error) {
	for from <= to {
		if len(events) > 0 {
			if err := turn.wait(ctx); err != nil {
				return nil, err
			}
		}
		more, err := v.items(ctx, from, to)
		if err != nil || len(more) == 0 {
			return events, err
		}
		events = append(events, more...)
		to = more[len(more)-1].Slot - 1
	}
	return events, nil
}

// eventViews reads a page of events as visible to the caller.
func (s *server) eventViews(c *fiber.Ctx, turn *pageTurn, visible visibleEvents, from, to int64) ([]record.EventView, error) {
	events, err := visible.wholeRange(c.UserContext(), turn, from, to)
	if err != nil {
		return nil, err
	}
	for i := range events {
		events[i] = eventFor(c, events[i])
	}
	return s.viewsOf(c.UserContext(), teams.Org(c), events)
}

// viewsOf returns events with their summaries.
func (s *server) viewsOf(ctx context.Context, org record.OrgID, events []record.Event) ([]record.EventView, error) {
	ids := make([]record.EventID, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	summaries, err := s.Store.Summaries(ctx, org, ids)
	views := make([]record.EventView, len(events))
	for i, e := range events {
		views[i] = record.EventView{Event: e, Summary: summaries[e.ID]}
	}
	return views, err
}

// listAttempts bounds how often a page is located again because an item was deleted.
const listAttempts = 10

// serve answers with one page, newest first. Numbers are dense except for the deleted ones, so
// the page is located by arithmetic and read as one range, at the same cost for every page.
//
// A client that has the page gets 304 without a read of the items: the tag is made of what they
// depend on. With the same tag, a page is sent from the cache. An item deleted between locating
// and reading the page changes the count, and the page is located again.
func serve[T any](c *fiber.Ctx, known *answers, page web.Page, l listing[T]) error {
	ctx := c.UserContext()
	key := fmt.Sprint(teams.Org(c), "\n", l.name, "\n", l.view, "\n", page.Number, " ", page.Limit)
	for range listAttempts {
		span, err := l.span(ctx, page.Offset(), page.Limit)
		if err != nil {
			return err
		}
		last, seen := known.pages.Get(key)
		if seen || c.Get(fiber.HeaderIfNoneMatch) != "" {
			revisions, err := rangeOf(ctx, l.revisions, span)
			if err != nil {
				return err
			}
			tag := pageTag(l.name+"\n"+l.view, page, span.Total, revisions)
			switch whole := int64(len(revisions)) == span.Count; {
			case whole && web.NotModified(c, tag):
				return web.SendNotModified(c, tag)
			case whole && seen && tag == last.tag:
				c.Set(fiber.HeaderETag, tag)
				return web.JSON(c, fiber.StatusOK, last.body)
			}
		}
		items, err := rangeOf(ctx, l.items, span)
		if err != nil {
			return err
		}
		if int64(len(items)) == span.Count {
			all := make([]appearance, len(items))
			for i, item := range items {
				all[i] = l.appearance(item)
			}
			tag := pageTag(l.name+"\n"+l.view, page, span.Total, all)
			c.Set(fiber.HeaderETag, tag)
			if err := web.OK(c, web.NewList(items, page, span.Total)); err != nil {
				return err
			}
			if body := c.Response().Body(); len(body) <= largestKept {
				known.pages.Put(key, answer{key: key, tag: tag, body: bytes.Clone(body)})
			}
			return nil
		}
	}
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Too many items are being deleted at the same time. Please try again."}
}

// rangeOf reads the items in a span.
func rangeOf[T any](ctx context.Context, read func(ctx context.Context, from, to int64) ([]T, error), span record.Span) ([]T, error) {
	if span.Count == 0 {
		return nil, nil
	}
	return read(ctx, span.Low, span.High)
}

// pageTag returns the entity tag of a page: of all that its bytes depend on.
func pageTag(name string, page web.Page, total int64, items []appearance) string {
	place := fmt.Sprint(page.Number, " ", page.Limit, " ", total)
	return web.ETagOf(name, place, appearanceText(items))
}

// appearanceText returns a text that is equal only for equal appearances.
func appearanceText(items []appearance) string {
	text := make([]byte, 0, 16*len(items))
	for _, r := range items {
		for _, n := range []int64{r.Number, r.Rev, r.ContextRev} {
			text = append(strconv.AppendInt(text, n, 10), ' ')
		}
		text = append(text, r.summary...)
	}
	return string(text)
}
