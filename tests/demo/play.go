package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/tests/expected"
)

// Player plays an example with two accounts.
type Player struct {
	User    *client.Client // posts and submits
	Manager *client.Client // creates the event and approves
	// Key is the idempotency key of the event's creation: sent again, it does not
	// create a second event. Each run needs its own.
	Key string
	// Parallel is the number of concurrent requests; values below 1 mean 1.
	Parallel int
	// Deadline is how long to wait for the result; 0 means a minute.
	Deadline time.Duration
	// Log is called at each step, if not nil.
	Log func(format string, args ...any)
}

// Outcome is the server's result for an example.
type Outcome struct {
	EventID string
	Result  *client.Result
	// Records are the footprints of the records, by reference.
	Records map[string]expected.Milligrams
}

// Play creates the event, brings all its records to approved, and waits for the result
// that counts all of them.
func (p *Player) Play(ctx context.Context, ex *Example) (*Outcome, error) {
	var options []client.Option
	if p.Key != "" {
		options = append(options, client.IdempotencyKey(p.Key))
	}
	event, err := p.Manager.CreateEvent(ctx, ex.Event, options...)
	if err != nil {
		return nil, fmt.Errorf("create the event: %w", err)
	}
	p.log("created the event %q, %s", ex.Event.Title, event.ID)
	records := make([]client.RecordRef, len(ex.Inputs))
	steps := []struct {
		done string
		do   func(ctx context.Context, i int) error
	}{
		{"posted", func(ctx context.Context, i int) error {
			in := ex.Inputs[i]
			record, err := p.User.CreateRecord(ctx, event.ID, client.RawRecord{Type: in.Type, Fields: in.Body})
			if err != nil {
				return fmt.Errorf("post %s: %w", in.Reference, err)
			}
			records[i] = record.Ref()
			return nil
		}},
		{"submitted", func(ctx context.Context, i int) error {
			_, err := p.User.SubmitRecord(ctx, records[i])
			return err
		}},
		{"approved", func(ctx context.Context, i int) error {
			_, err := p.Manager.ApproveRecord(ctx, records[i], "")
			return err
		}},
	}
	for _, step := range steps {
		if err := p.each(ctx, len(ex.Inputs), step.do); err != nil {
			return nil, err
		}
		p.log("%s %d records", step.done, len(ex.Inputs))
	}
	out := &Outcome{EventID: event.ID}
	if out.Result, err = p.awaitResult(ctx, event.ID, len(ex.Inputs)); err != nil {
		return nil, err
	}
	out.Records, err = p.footprints(ctx, event.ID, ex)
	return out, err
}

func (p *Player) log(format string, args ...any) {
	if p.Log != nil {
		p.Log(format, args...)
	}
}

// each calls do for all records, some concurrently, and stops at the first error.
func (p *Player) each(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(p.Parallel, 1) {
		workers.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err) // the first call wins
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// footprints reads the footprint of each record.
func (p *Player) footprints(ctx context.Context, event string, ex *Example) (map[string]expected.Milligrams, error) {
	kinds := []string{}
	for _, in := range ex.Inputs {
		if !slices.Contains(kinds, in.Type) {
			kinds = append(kinds, in.Type)
		}
	}
	out := map[string]expected.Milligrams{}
	for _, kind := range kinds {
		for r, err := range p.User.ListRecords(event, kind).All(ctx) {
			switch {
			case err != nil:
				return nil, err
			case r.Footprint.FactorSet == "":
				return nil, fmt.Errorf("%s %s has no footprint", kind, r.ExternalReference)
			}
			if _, twice := out[r.ExternalReference]; twice {
				return nil, fmt.Errorf("there are two records with the reference %s", r.ExternalReference)
			}
			out[r.ExternalReference] = expected.Milligrams(r.Footprint.KgCO2e)
		}
	}
	return out, nil
}

// errNotYet means that the result does not count all records yet.
var errNotYet = errors.New("the result does not count all records yet")

// awaitResult waits for the result, which must count n records.
func (p *Player) awaitResult(ctx context.Context, event string, n int) (*client.Result, error) {
	deadline := cmp.Or(p.Deadline, time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, fmt.Errorf("%w, after %s", errNotYet, deadline))
	defer cancel()
	result, err := p.Manager.WaitForResult(ctx, event)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case err != nil:
		return nil, err
	case result.Counts == nil || result.Counts.Approved != n:
		return nil, fmt.Errorf("%w: it is current but counts %+v", errNotYet, result.Counts)
	}
	return result, nil
}
