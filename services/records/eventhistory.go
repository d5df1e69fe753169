package records

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// historyAtOnce is how many entries are read at a time: one of an event with the longest
// texts has half a megabyte.
const historyAtOnce = 8

// eventHistory lists the changes of an event with their actors, newest first. Every revision
// has one entry and entries never change, so the page, its tag and the total follow from the
// event. The history of an event older than histories begins with a computed entry, until its
// first change. Managers may also read it of deleted events.
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
		// A change that failed before its write may have stored an entry for the newest
		// revision; the event's own entry is the valid one.
		entries, high = append(entries, event.Last), high-1
	}
	turn := s.longPages.of(event.Org)
	defer turn.end()
	older, err := s.olderEntries(c.UserContext(), turn, event, low, high)
	if err != nil {
		return err
	}
	entries = append(entries, older...)
	for i := range entries {
		entries[i].Once = "" // internal to the request
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, web.NewList(entries, page, total))
}

// olderEntries reads the entries of an event from low to high, newest first. Before it holds
// more than longPage it waits for its turn: a hundred entries can have 57 MB.
func (s *server) olderEntries(ctx context.Context, turn *pageTurn, e record.Event, low, high int64) (entries []record.EventEntry, err error) {
	size := 0
	for ; low <= high; high -= historyAtOnce {
		if size > longPage {
			if err := turn.wait(ctx); err != nil {
				return nil, err
			}
		}
		older, err := s.Store.EventEntries(ctx, e.Org, e.ID, max(low, high-historyAtOnce+1), high)
		if err != nil {
			return nil, err
		}
		for _, entry := range slices.Backward(older) {
			entries = append(entries, entry)
			for _, c := range entry.Changed {
				size += len(c.Before) + len(c.After)
			}
		}
	}
	return entries, nil
}
