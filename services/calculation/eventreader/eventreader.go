// Package eventreader reads the approved records that an event's result counts: a
// page of them, a segment, or all together with the result. Records may change at
// any time; the returned ones are consistent with the result, as verified by the hashes of the tree.
package eventreader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// MaxRecords is how many counted records of an event are read at once, for the checks of
// records against each other. The rest of the service reads an event of any size.
const MaxRecords = 20_000

// Limits bound what is read of an event at once.
type Limits struct {
	Records int64
	Bytes   int // of the inputs
}

// Reader reads the counted records of events.
type Reader struct {
	Records interface {
		Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error)
	}
	Results interface {
		Result(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error)
		Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]resulttree.Node, error)
	}
}

// Tree returns the shape of the worker's tree of nodes.
func Tree() bundle.Tree {
	return bundle.Tree{Fanout: resulttree.Fanout, Levels: resulttree.TopLevel + 1}
}

// Segment is the counted records of a node of level 0 as they were read, and
// the hash of exactly these.
type Segment struct {
	Counted []record.Counted
	Hash    string
}

// Segment reads the counted records of a node of level 0.
func (r Reader) Segment(ctx context.Context, org record.OrgID, event record.EventID, n resulttree.Node) (Segment, error) {
	counted, err := r.approved(ctx, org, event, n)
	if err != nil {
		return Segment{}, err
	}
	h := sha256.New()
	for _, c := range counted {
		resulttree.HashRecord(h, c)
	}
	return Segment{counted, hex.EncodeToString(h.Sum(nil))}, nil
}

const (
	// matchAttempts and matchPause bound the wait for a moment in which the
	// records are those of the result.
	matchAttempts = 20
	matchPause    = 100 * time.Millisecond
)

// fitting calls try with the newest result and its segments until what it reads fits them. An event with more than most
// records is rejected, unless most is 0.
func (r Reader) fitting(ctx context.Context, org record.OrgID, event record.EventID, most int64,
	try func(resulttree.Result, []resulttree.Node) (fits bool, err error),
) (resulttree.Result, error) {
	for attempt := range matchAttempts {
		if attempt > 0 {
			if err := Pause(ctx); err != nil {
				return resulttree.Result{}, err
			}
		}
		result, err := r.Results.Result(ctx, org, event)
		if err == nil && most > 0 {
			err = tooMany(result, most)
		}
		if err != nil {
			return result, err
		}
		segments, err := r.Results.Nodes(ctx, org, event, "", 0, 0, math.MaxInt64)
		if err != nil {
			return result, err
		}
		if fits, err := try(result, segments); fits || err != nil {
			return result, err
		}
	}
	return resulttree.Result{}, Changing()
}

// Inputs reads the newest result together with the records it was calculated
// from. That they are is proven by the result's hash over all inputs. While
// records change, the segments that do not fit are read again.
func (r Reader) Inputs(ctx context.Context, org record.OrgID, event record.EventID, limits Limits) (result resulttree.Result, counted []record.Counted, err error) {
	read := map[resulttree.NodeID]Segment{}
	result, err = r.fitting(ctx, org, event, limits.Records, func(result resulttree.Result, segments []resulttree.Node) (bool, error) {
		counted = nil
		size := 0
		for _, n := range segments {
			if known, ok := read[n.NodeID]; !ok || known.Hash != n.Hash {
				var err error
				if read[n.NodeID], err = r.Segment(ctx, org, event, n); err != nil {
					return false, err
				}
			}
			for _, c := range read[n.NodeID].Counted {
				size += len(c.Fields)
			}
			if size > limits.Bytes {
				return false, limits.tooLarge()
			}
			counted = append(counted, read[n.NodeID].Counted...)
		}
		return Tree().Root(result.Context, BundleInputs(counted)) == result.InputsHash, nil
	})
	if err != nil {
		return result, nil, err
	}
	return result, counted, nil
}

// Changing is the answer where no attempt found what fits together: records change all the time, or nothing is recalculated.
func Changing() error {
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
		Message: "The figures do not have the latest changes of the records yet. Please try again in a moment."}
}

// Pause waits before another attempt to read what fits together.
func Pause(ctx context.Context) error {
	return record.Pause(ctx, matchPause)
}

// BundleInputs returns records in the form of a bundle's source.
func BundleInputs(counted []record.Counted) []bundle.Input {
	inputs := make([]bundle.Input, len(counted))
	for i, c := range counted {
		inputs[i] = bundle.Input{ID: string(c.ID), Type: c.Type, Seq: c.Seq, Revision: c.Rev, Fields: c.Fields}
	}
	return inputs
}

// tooMany rejects an event with too many records to be read together.
func tooMany(r resulttree.Result, most int64) error {
	sum, err := r.Sum()
	if n := sum.Records(); err == nil && n > most {
		err = tooLarge("The event has %d counted records; up to %d are handled in one answer.", n, most)
	}
	return err
}

func (l Limits) tooLarge() error {
	return tooLarge("The inputs of the event are larger than %d MiB; no more are handled in one answer.", l.Bytes>>20)
}

func tooLarge(format string, args ...any) error {
	return apperr.New(apperr.PayloadTooLarge, format, args...).
		With(apperr.Detail{Code: "TOO_MANY_RECORDS", Message: "Read them in pages (GET /events/{eventId}/results/explain)."})
}
