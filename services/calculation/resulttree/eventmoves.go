package resulttree

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
)

// maxEventEntries bounds the entries of an event's history that are read for the
// causes of a result.
const maxEventEntries = 1000

// eventHistory reads causes from the history of an event.
type eventHistory struct {
	records interface {
		EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
		EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error)
	}
}

// ContextMoves implements EventMoves. The event is read before its stored entries:
// its newest one is among them as soon as it has been replaced.
func (h eventHistory) ContextMoves(ctx context.Context, org record.OrgID, event record.EventID, after, to int64) ([]Cause, error) {
	ev, err := h.records.EventContext(ctx, org, event)
	if err != nil {
		return nil, err
	}
	entries, err := h.records.EventEntries(ctx, org, event, max(1, ev.Last.Rev-maxEventEntries), ev.Last.Rev-1)
	if err != nil {
		return nil, err
	}
	if ev.Last.Rev > 0 {
		entries = append(entries, ev.Last)
	}
	var causes []Cause
	var before int64
	for _, e := range entries {
		moved := e.ContextRev != before
		before = e.ContextRev
		if !moved || e.ContextRev <= after || e.ContextRev > to {
			continue
		}
		c := Cause{Action: string(e.Action), By: e.By, At: e.At, Comment: e.Comment}
		switch e.Action {
		case record.EventChanged:
			c.Action = ActionEvent
		case record.EventAdopted: // by an unknown actor
			causes = MergeCauses(causes, Cause{Action: ActionUnknown})
			continue
		default:
		}
		for _, f := range e.Changed {
			c.Fields = append(c.Fields, f.Field)
		}
		causes = append(causes, c)
	}
	return causes, nil
}
