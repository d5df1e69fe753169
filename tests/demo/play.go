package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/tests/expected"
)

// Player plays an example with two accounts.
type Player struct {
	User    *Client // posts and submits
	Manager *Client // creates the event and approves
	// Key makes the creation of the event one of a kind: sent again, it does not
	// make a second event. Another run needs another key.
	Key string
	// Parallel is how many records are under way at once; below 1 it is 1.
	Parallel int
	// Poll is the pause between two looks at the result, Deadline how long to
	// look for it in all. 0 is a quarter of a second, and a minute.
	Poll, Deadline time.Duration
	// Log is told each step; nil: nobody.
	Log func(format string, args ...any)
}

// Outcome is what the server made of an example.
type Outcome struct {
	EventID string
	Result  Result
	// Records are the footprints that the records show, by reference.
	Records map[string]expected.Milligrams
}

// Play creates the event and brings all its records to approved, then waits for
// the result in which all are counted.
func (p *Player) Play(ctx context.Context, ex *Example) (*Outcome, error) {
	event, err := p.createEvent(ctx, ex)
	if err != nil {
		return nil, err
	}
	p.log("created the event %q, %s", ex.Title, event)
	ids := make([]string, len(ex.Inputs))
	steps := []struct {
		done string
		do   func(ctx context.Context, i int) error
	}{
		{"posted", func(ctx context.Context, i int) (err error) {
			ids[i], err = p.createRecord(ctx, event, ex.Inputs[i])
			return err
		}},
		{"submitted", func(ctx context.Context, i int) error {
			return move(ctx, p.User, recordPath(event, ex.Inputs[i].Type, ids[i]), "submit", "submitted", "in_review", "approved")
		}},
		{"approved", func(ctx context.Context, i int) error {
			return move(ctx, p.Manager, recordPath(event, ex.Inputs[i].Type, ids[i]), "approve", "approved")
		}},
	}
	for _, step := range steps {
		if err := p.each(ctx, len(ex.Inputs), step.do); err != nil {
			return nil, err
		}
		p.log("%s %d records", step.done, len(ex.Inputs))
	}
	out := &Outcome{EventID: event}
	if out.Result, err = p.awaitResult(ctx, event, len(ex.Inputs)); err != nil {
		return nil, err
	}
	out.Records, err = p.footprints(ctx, event, ex)
	return out, err
}

func (p *Player) log(format string, args ...any) {
	if p.Log != nil {
		p.Log(format, args...)
	}
}

// each does a step for all records, some at a time, and stops at the first
// error.
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

func (p *Player) createEvent(ctx context.Context, ex *Example) (string, error) {
	header := http.Header{}
	if p.Key != "" {
		header.Set("Idempotency-Key", p.Key)
	}
	answer, err := p.Manager.Send(ctx, Request{Method: http.MethodPost, Path: "/events", Body: ex.Event,
		Header: header, Repeat: p.Key != ""})
	if err != nil {
		return "", fmt.Errorf("create the event: %w", err)
	}
	return identifier(answer)
}

func identifier(answer *Answer) (string, error) {
	var created struct {
		ID string `json:"_id"`
	}
	if err := answer.Into(&created); err != nil {
		return "", err
	}
	if created.ID == "" {
		return "", errors.New("the answer has no _id")
	}
	return created.ID, nil
}

func recordPath(event, kind, id string) string { return "/events/" + event + "/" + kind + "/" + id }

// createRecord posts a record. When an earlier attempt got through without an
// answer, the reference is taken, and the record is looked up.
func (p *Player) createRecord(ctx context.Context, event string, in Input) (string, error) {
	path := "/events/" + event + "/" + in.Type
	answer, err := p.User.Send(ctx, Request{Method: http.MethodPost, Path: path, Body: in.Body, Repeat: true})
	if CodeOf(err) == "DUPLICATE_REFERENCE" {
		return findByReference(ctx, p.User, path, in.Reference)
	}
	if err != nil {
		return "", fmt.Errorf("post %s: %w", in.Reference, err)
	}
	return identifier(answer)
}

// recordView is what the demo reads of a record.
type recordView struct {
	ID        string `json:"_id"`
	Reference string `json:"externalReference"`
	Status    string `json:"status"`
	Footprint struct {
		KgCO2e *expected.Milligrams `json:"kgCO2e"`
	} `json:"footprint"`
}

func findByReference(ctx context.Context, c *Client, path, reference string) (string, error) {
	records, err := List[recordView](ctx, c, path)
	if err != nil {
		return "", err
	}
	for _, r := range records {
		if r.Reference == reference {
			return r.ID, nil
		}
	}
	return "", fmt.Errorf("%s: the reference %s is taken, but no record has it", path, reference)
}

// move makes a move of the workflow. A refusal of a record that is already
// where the move leads is an earlier attempt that got through without an answer.
func move(ctx context.Context, c *Client, record, verb string, done ...string) error {
	answer, err := c.Send(ctx, Request{Method: http.MethodPost, Path: record + "/" + verb, Repeat: true})
	var now recordView
	switch {
	case CodeOf(err) == "INVALID_TRANSITION":
		if getErr := c.Get(ctx, record, &now); getErr != nil {
			return getErr
		}
		if slices.Contains(done, now.Status) {
			return nil
		}
		return err
	case err != nil:
		return err
	}
	if err := answer.Into(&now); err != nil {
		return err
	}
	if !slices.Contains(done, now.Status) {
		return fmt.Errorf("after %s, %s is %s", verb, record, now.Status)
	}
	return nil
}

// List reads all pages of a list, newest first. What is added meanwhile pushes
// others to a later page: an item may come twice, but none is missed.
func List[T any](ctx context.Context, c *Client, path string) ([]T, error) {
	var all []T
	for page := 1; ; page++ {
		var list struct {
			Items      []T `json:"items"`
			Pagination struct {
				TotalPages int `json:"totalPages"`
			} `json:"pagination"`
		}
		if err := c.Get(ctx, fmt.Sprintf("%s?page=%d&limit=100", path, page), &list); err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if page >= list.Pagination.TotalPages {
			return all, nil
		}
	}
}

// footprints reads what each record shows.
func (p *Player) footprints(ctx context.Context, event string, ex *Example) (map[string]expected.Milligrams, error) {
	kinds := []string{}
	for _, in := range ex.Inputs {
		if !slices.Contains(kinds, in.Type) {
			kinds = append(kinds, in.Type)
		}
	}
	out := map[string]expected.Milligrams{}
	for _, kind := range kinds {
		records, err := List[recordView](ctx, p.User, "/events/"+event+"/"+kind)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if _, twice := out[r.Reference]; twice {
				return nil, fmt.Errorf("the reference %s is there twice", r.Reference)
			}
			if r.Footprint.KgCO2e == nil {
				return nil, fmt.Errorf("%s %s shows no footprint", kind, r.Reference)
			}
			out[r.Reference] = *r.Footprint.KgCO2e
		}
	}
	return out, nil
}

// errNotYet says that the result does not count all records yet.
var errNotYet = errors.New("the result does not count all records yet")

// awaitResult looks until the result is current and counts n records.
func (p *Player) awaitResult(ctx context.Context, event string, n int) (Result, error) {
	poll, deadline := cmp.Or(p.Poll, 250*time.Millisecond), cmp.Or(p.Deadline, time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, fmt.Errorf("%w, after %s", errNotYet, deadline))
	defer cancel()
	seen := "no result"
	for {
		var result Result
		answer, err := p.Manager.Do(ctx, http.MethodGet, "/events/"+event+"/results", nil)
		switch {
		case err == nil:
			if err := answer.Into(&result); err != nil {
				return Result{}, err
			}
			if result.Status == "current" && result.Counts.Approved == n {
				result.Raw = answer.Data
				return result, nil
			}
			seen = fmt.Sprintf("a %s result, %d records approved", result.Status, result.Counts.Approved)
		case CodeOf(err) != "RESULT_NOT_FOUND" && ctx.Err() == nil:
			return Result{}, err
		}
		if err := p.Manager.Sleep(ctx, poll); err != nil || ctx.Err() != nil {
			return Result{}, fmt.Errorf("%w: last seen was %s", context.Cause(ctx), seen)
		}
	}
}
