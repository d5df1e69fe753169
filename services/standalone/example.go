package standalone

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
)

//go:embed demo/event.json
var exampleEvent []byte

//go:embed demo/records.json
var exampleRecords []byte

// makeExample creates the example event of the demo organization with its records, some of them
// approved, unless the organization has had an event already. It uses the same functions as the
// API, without HTTP.
func makeExample(ctx context.Context, store record.Store, notifier notify.Notifier, org record.OrgID, user, manager record.Actor, now func() time.Time) error {
	used, err := store.UsedSlots(ctx, org)
	if err != nil || used > 0 {
		return err
	}
	event, err := insertExampleEvent(ctx, store, org, manager, now())
	if err != nil {
		return fmt.Errorf("example event: %w", err)
	}
	var examples []struct {
		Type   string          `json:"type"`
		Until  record.Status   `json:"until"`
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(exampleRecords, &examples); err != nil {
		return fmt.Errorf("example records: %w", err)
	}
	workflow := record.Workflow{Store: store, Now: now, NewMark: func() string { return record.NewMark(now()) }}
	for _, x := range examples {
		decoded, err := footprint.Decode(x.Type, x.Fields, event.Context())
		if err != nil {
			return fmt.Errorf("example record: %w", err)
		}
		r := record.Record{ID: record.ID(record.NewID()), Event: event.ID, Type: x.Type, Fields: decoded.Fields,
			Reference: decoded.ExternalReference, Notices: decoded.Notices, ContextRev: event.ContextRev}
		if r.Preview, r.Contribution, err = record.Figures(&decoded.Evaluation, decoded.Notices, event.Context()); err != nil {
			return fmt.Errorf("example record: %w", err)
		}
		if r, err = workflow.Insert(ctx, org, r, user); err != nil {
			return fmt.Errorf("example record: %w", err)
		}
		steps := []record.Request{{Move: record.Submit, By: user}, {Move: record.Approve, By: manager}}
		for _, step := range steps {
			if r.Status == x.Until {
				break
			}
			step.Org, step.Key = org, r.Key()
			if r, err = workflow.Apply(ctx, step); err != nil {
				return fmt.Errorf("example record: %w", err)
			}
		}
	}
	notifier.Notify(ctx, org, event.ID)
	return nil
}

func insertExampleEvent(ctx context.Context, store record.Store, org record.OrgID, by record.Actor, now time.Time) (record.Event, error) {
	var input struct {
		Title, StartDate, EndDate, Country, Timezone, Description string
		Attendees, VirtualAttendees                               int64
	}
	if err := json.Unmarshal(exampleEvent, &input); err != nil {
		return record.Event{}, err
	}
	set, _ := factors.ForStart(input.StartDate)
	if set == nil {
		return record.Event{}, errors.New("no factor set")
	}
	now = now.UTC().Truncate(time.Millisecond)
	return store.InsertEvent(ctx, org, record.Event{
		ID: record.EventID(record.NewID()), Org: org, Title: input.Title, StartDate: input.StartDate, EndDate: input.EndDate,
		Country: input.Country, Timezone: input.Timezone, Description: input.Description,
		Attendees: &input.Attendees, VirtualAttendees: &input.VirtualAttendees,
		Method: record.NewMethod, FactorSet: set.ID, CreatedBy: by, CreatedAt: now, UpdatedAt: now, Rev: 1, ContextRev: 1,
	}, record.Unlimited)
}
