package resulttree

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// arithmetic is libs/footprint behind the Arithmetic interface.
type arithmetic struct{}

// Evaluate implements Arithmetic.
func (arithmetic) Evaluate(typ string, fields json.RawMessage, ev footprint.EventContext) (preview, contribution json.RawMessage, err error) {
	return record.Evaluate(typ, fields, nil, ev)
}

// Sum implements Arithmetic.
func (arithmetic) Sum(parts []json.RawMessage) (json.RawMessage, error) {
	sum, err := addUp(parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(sum)
}

// Moved implements Arithmetic.
func (arithmetic) Moved(sum json.RawMessage, more, gone []json.RawMessage) (moved json.RawMessage, ok bool, err error) {
	out, err := addUp(append([]json.RawMessage{sum}, more...))
	for i := 0; err == nil && i < len(gone); i++ {
		var one total.Contribution
		if err = one.UnmarshalJSON(gone[i]); err != nil {
			break
		}
		if out, ok = out.Less(one); !ok {
			return nil, false, nil
		}
	}
	if err != nil {
		return nil, false, err
	}
	moved, err = json.Marshal(out)
	return moved, err == nil, err
}

func addUp(parts []json.RawMessage) (sum total.Contribution, err error) {
	contributions := make([]total.Contribution, len(parts))
	for i, part := range parts {
		// json.Unmarshal would first scan all of it for its end, which would be most of the cost of a sum.
		if err := contributions[i].UnmarshalJSON(part); err != nil {
			return sum, fmt.Errorf("sum: %w", err)
		}
	}
	return total.Sum(contributions...), nil
}

// Total implements Arithmetic. In the stored form, which is canonical, the total
// comes before anything that could look like it.
func (arithmetic) Total(contribution json.RawMessage) (string, error) {
	if _, rest, found := bytes.Cut(contribution, []byte(`,"total":"`)); found {
		if digits, _, ended := bytes.Cut(rest, []byte(`"`)); ended && isNumber(digits) {
			return string(digits), nil
		}
	}
	var sum struct {
		Total string `json:"total"`
	}
	if err := json.Unmarshal(contribution, &sum); err != nil {
		return "", fmt.Errorf("total: %w", err)
	}
	return sum.Total, nil
}

// Current implements Arithmetic.
func (arithmetic) Current(contribution json.RawMessage) bool {
	return total.OfThisEngine(contribution)
}

// Headline implements Arithmetic.
func (arithmetic) Headline(contribution json.RawMessage, failed int) (json.RawMessage, error) {
	var sum total.Contribution
	if err := json.Unmarshal(contribution, &sum); err != nil {
		return nil, fmt.Errorf("headline: %w", err)
	}
	if sum.Records() == 0 && failed == 0 {
		return nil, nil
	}
	return json.Marshal(sum.Interval())
}

// HeadlineOf returns the summary of a result that is stored with its event.
func HeadlineOf(r Result) (record.Headline, error) {
	return headlineOf(arithmetic{}, r)
}

func headlineOf(a Arithmetic, r Result) (record.Headline, error) {
	total, err := a.Headline(r.Contribution, int(r.Failures()))
	return record.Headline{Version: r.Version, Revision: r.Revision, Total: total}, err
}

// isNumber reports whether a text is a whole number, which may be negative.
func isNumber(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("-"))
	return len(text) > 0 && !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// NewRecalculator returns the Recalculator of a worker.
func NewRecalculator(records Records, results Results, now func() time.Time) Recalculator {
	r := Recalculator{Records: records, Results: results, Arithmetic: arithmetic{}, Now: now, Fanout: Fanout, hashes: newHashes()}
	if h, ok := records.(interface {
		Records
		EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error)
	}); ok {
		r.Events = eventHistory{h}
	}
	return r
}
