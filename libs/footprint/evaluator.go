package footprint

import (
	"encoding/json"
	"fmt"
)

// Evaluator evaluates many records of one event sequentially, without the texts of their notices and the digits of
// their quantities. It must be used by one goroutine at a time.
type Evaluator struct{ calculation calculation }

// NewEvaluator returns an Evaluator; the error is that of an unknown factor set.
func NewEvaluator(ev EventContext) (*Evaluator, error) {
	e, err := engineFor(ev)
	if err != nil {
		return nil, err
	}
	return &Evaluator{calculation{engine: e, ev: ev, quiet: true}}, nil
}

// Evaluate calculates a record, given by the fields of Decoded. The result is
// valid until the next call. The error is that of the function Evaluate.
func (s *Evaluator) Evaluate(typ string, fields json.RawMessage) (*Evaluation, error) {
	t, ok := find(typ)
	if !ok {
		return nil, fmt.Errorf("footprint: the type %q is not known", typ)
	}
	in, err := t.read(fields)
	if err != nil {
		return nil, err
	}
	if err := t.calculate(in, &s.calculation); err != nil {
		return nil, err
	}
	if err := s.calculation.finish(); err != nil {
		return nil, err
	}
	return &s.calculation.out, nil
}
