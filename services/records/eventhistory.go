package records

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// historyAtOnce is how many entries are read at a time: one of an event with the longest
	// texts has half a megabyte.
	historyAtOnce = 8
	// longHistory is the length, in bytes, from which on pages of a history wait for one another.
	longHistory = 1 << 20
	// longHistories is how many such pages are in memory at a time, one of each organization.
	longHistories = 2
)

func newLongHistories() *fairshare.Scheduler {
	return fairshare.New(fairshare.Options{Slots: longHistories, Share: 1})
}

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
	older, release, err := s.olderEntries(c.UserContext(), event, low, high)
	defer release()
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
// more than longHistory it waits until no other such page of the organization is in memory: a
// hundred entries can have 57 MB, which many concurrent requests multiplied. release is called
// once the response has been written.
func (s *server) olderEntries(ctx context.Context, e record.Event, low, high int64) (entries []record.EventEntry, release func(), err error) {
	release = func() {}
	size, waited := 0, false
	for ; low <= high; high -= historyAtOnce {
		if size > longHistory && !waited {
			if release, err = s.longHistories.Acquire(ctx, string(e.Org), 1); err != nil {
				return nil, func() {}, web.TooLate(err)
			}
			waited = true
		}
		older, err := s.Store.EventEntries(ctx, e.Org, e.ID, max(low, high-historyAtOnce+1), high)
		if err != nil {
			return nil, release, err
		}
		for _, entry := range slices.Backward(older) {
			entries = append(entries, entry)
			for _, c := range entry.Changed {
				size += len(c.Before) + len(c.After)
			}
		}
	}
	return entries, release, nil
}
