package record

import (
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// Evaluate calculates what a record of the given type and canonical fields
// contributes under an event's context. It is for records that are stored
// already; a body that was just decoded has its evaluation, see Figures.
func Evaluate(typ string, fields json.RawMessage, notices []footprint.Notice, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	evaluation, err := footprint.Evaluate(typ, fields, ev)
	if err != nil {
		return nil, nil, err
	}
	return Figures(&evaluation, notices, ev)
}

// Figures returns the stored form of an evaluation under an event's context:
// the preview that clients see, with the given notices of decoding first, and
// the exact contribution that is summed.
func Figures(evaluation *footprint.Evaluation, notices []footprint.Notice, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	shown := total.PreviewOf(evaluation, ev.FactorSet)
	shown.Notices = append(append([]footprint.Notice{}, notices...), shown.Notices...)
	if preview, err = json.Marshal(shown); err != nil {
		return nil, nil, fmt.Errorf("preview: %w", err)
	}
	if contribution, err = json.Marshal(total.Of(evaluation)); err != nil {
		return nil, nil, fmt.Errorf("contribution: %w", err)
	}
	return preview, contribution, nil
}
