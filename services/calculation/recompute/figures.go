package recompute

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

var (
	errOtherEngine = errors.New("calculated by an engine that this program does not have")
	errEarlier     = errors.New("of a state of the event that is not known")
	errStale       = errors.New("it is approved, its figures are of an earlier state of its event, and nothing says that they are to be calculated anew")
)

// figures returns the differences between the stored figures of a record and those recalculated from its inputs, in
// the state of the event that they were calculated in.
func (s subject) figures(r record.Record) error {
	if !s.had(r.ContextRev) {
		return fmt.Errorf("its figures are of state %d of its event, which has had states 1 to %d", r.ContextRev, s.ContextRev)
	}
	context, known := s.contexts[r.ContextRev]
	if !known {
		return errEarlier
	}
	if len(r.Contribution) == 0 {
		if _, _, err := record.Evaluate(r.Type, r.Fields, nil, context); err == nil {
			return errors.New("it has no contribution, and its inputs can be calculated")
		}
		return nil
	}
	// The form of the rest depends on its engine.
	var by struct {
		Engine  string `json:"engine"`
		Records int64  `json:"records"` // an empty sum has no engine
	}
	if err := json.Unmarshal(r.Contribution, &by); err != nil {
		return fmt.Errorf("its contribution cannot be read: %w", err)
	}
	if err := engineOf(by.Engine, context); err != nil && by.Records > 0 {
		return err
	}
	preview, contribution, err := record.Evaluate(r.Type, r.Fields, nil, context)
	if err != nil {
		return fmt.Errorf("its inputs cannot be calculated: %w", err)
	}
	if same, err := sameSum(r.Contribution, contribution); err != nil || !same {
		return errors.Join(errors.New("its contribution is not what its inputs come to"), err)
	}
	var stored, again total.Preview
	if err := errors.Join(json.Unmarshal(r.Preview, &stored), json.Unmarshal(preview, &again)); err != nil {
		return fmt.Errorf("the figure shown cannot be read: %w", err)
	}
	if stored.KgCO2e != again.KgCO2e || stored.Low != again.Low || stored.High != again.High || stored.FactorSet != again.FactorSet {
		return fmt.Errorf("the figure shown is %s kg CO2e, and its inputs come to %s", stored.KgCO2e.Kilograms(), again.KgCO2e.Kilograms())
	}
	return nil
}

// stale reports whether an approved record has figures of an earlier state of its event. Records that cannot be
// calculated keep earlier ones, and results of deleted events are not recalculated.
func (s subject) stale(r record.Record) bool {
	if s.Deleted || r.Status != record.Approved || r.ContextRev == s.ContextRev {
		return false
	}
	_, _, err := record.Evaluate(r.Type, r.Fields, nil, s.Context())
	return err == nil
}

// engineOf returns an error if something was calculated by the wrong engine for its context. An event without one may
// predate pinned engines, and was then calculated by the current one.
func engineOf(engine string, context footprint.EventContext) error {
	switch pinned := context.EngineVersion(); {
	case !footprint.KnownEngine(pinned), context.Engine == "" && !footprint.KnownEngine(engine):
		return errOtherEngine
	case engine != pinned:
		return fmt.Errorf("it was calculated by engine %s, and its event is pinned to %s", engine, pinned)
	}
	return nil
}

// sameSum reports whether two sums have the same figures, in any stored form.
func sameSum(stored, again json.RawMessage) (bool, error) {
	var sum total.Contribution
	if err := json.Unmarshal(stored, &sum); err != nil {
		return false, err
	}
	text, err := json.Marshal(sum)
	return bytes.Equal(text, again), err
}
