package calculation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
)

// maxTogether is how many counted records of an event are read at once, for a
// report, a rehearsal and the checks of records against each other. The rest of
// the service reads an event of any size.
const maxTogether = 20_000

// maxTogetherBytes bounds the size of their inputs together, and atOnce how
// many such answers are made at the same time, so that they fit into memory.
const (
	maxTogetherBytes = 24 << 20
	atOnce           = 4
)

// oneOfFew makes a handler wait until few of its kind are at work.
func (s *server) oneOfFew(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		select {
		case s.slots <- struct{}{}:
		case <-c.UserContext().Done():
			return &apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
				Message: "Many reports are being made. Please try again in a moment."}
		}
		defer func() { <-s.slots }()
		return next(c)
	}
}

// inputsTree is how the worker grows its nodes.
func inputsTree() bundle.Tree { return bundle.Tree{Fanout: Fanout, Levels: topLevel + 1} }

// segment is the counted records of a node of level 0 as they were read, and
// the hash of exactly these.
type segment struct {
	counted []record.Counted
	hash    string
}

func (s *server) segment(ctx context.Context, org record.OrgID, event record.EventID, n Node) (segment, error) {
	counted, err := s.approved(ctx, org, event, n)
	if err != nil {
		return segment{}, err
	}
	h := sha256.New()
	for _, c := range counted {
		hashRecord(h, c)
	}
	return segment{counted, hex.EncodeToString(h.Sum(nil))}, nil
}

const (
	// matchAttempts and matchPause bound the wait for a moment in which the
	// records are those of the result.
	matchAttempts = 20
	matchPause    = 100 * time.Millisecond
)

// inputsOf reads the newest result together with the records it was calculated
// from. That they are is proven by the result's hash over all inputs. While
// records change, the segments that do not fit are read again.
func (s *server) inputsOf(ctx context.Context, org record.OrgID, event record.EventID) (Result, []record.Counted, error) {
	read := map[NodeID]segment{}
	for attempt := range matchAttempts {
		if attempt > 0 {
			if err := pause(ctx, matchPause); err != nil {
				return Result{}, nil, err
			}
		}
		result, err := s.Results.Result(ctx, org, event)
		if err != nil {
			return result, nil, err
		}
		if err := tooMany(result); err != nil {
			return result, nil, err
		}
		nodes, err := s.Results.Nodes(ctx, org, event, "", 0, 0, math.MaxInt64)
		if err != nil {
			return result, nil, err
		}
		var counted []record.Counted
		size := 0
		for _, n := range nodes {
			if known, ok := read[n.NodeID]; !ok || known.hash != n.Hash {
				if read[n.NodeID], err = s.segment(ctx, org, event, n); err != nil {
					return result, nil, err
				}
			}
			for _, c := range read[n.NodeID].counted {
				size += len(c.Fields)
			}
			if size > maxTogetherBytes {
				return result, nil, tooLarge("The inputs of the event are larger than %d MiB; no more are handled in one answer.", maxTogetherBytes>>20)
			}
			counted = append(counted, read[n.NodeID].counted...)
		}
		if inputsTree().Root(result.Context, bundleInputs(counted)) == result.InputsHash {
			return result, counted, nil
		}
	}
	return Result{}, nil, &apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
		Message: "The records of the event are changing, so that no result stands still. Please try again in a moment."}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func bundleInputs(counted []record.Counted) []bundle.Input {
	inputs := make([]bundle.Input, len(counted))
	for i, c := range counted {
		inputs[i] = bundle.Input{ID: string(c.ID), Type: c.Type, Seq: c.Seq, Revision: c.Rev, Fields: c.Fields}
	}
	return inputs
}

// countedIn gives the number of records in a result.
func countedIn(r Result) (int64, error) {
	var sum struct {
		Records int64 `json:"records"`
	}
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return 0, fmt.Errorf("result of event %s: %w", r.Event, err)
	}
	return sum.Records, nil
}

// tooMany refuses an event whose records are too many to be read together.
func tooMany(r Result) error {
	n, err := countedIn(r)
	if err == nil && n > maxTogether {
		err = tooLarge("The event has %d counted records; up to %d are handled in one answer.", n, maxTogether)
	}
	return err
}

func tooLarge(format string, args ...any) error {
	return apperr.New(apperr.PayloadTooLarge, format, args...).
		With(apperr.Detail{Code: "TOO_MANY_RECORDS", Message: "Read them in pages: GET /events/{eventId}/results/explain."})
}
