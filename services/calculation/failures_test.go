package calculation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestManyRecordsThatCannotBeCalculated: of more than a thousand approved records that
// fail, a node and the result name the first and count all, and so does the answer. The
// rest of the event is summed.
func TestManyRecordsThatCannotBeCalculated(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	const failing, atOnce = 1300, 100
	for from := 0; from < failing; from += atOnce {
		many := make([]record.Record, atOnce)
		for i := range many {
			// Of an older context, so that the worker calculates it, and in vain.
			many[i] = record.Record{ID: record.ID(fmt.Sprintf("failing%04d", from+i)), Org: org, Event: "e1", Type: "waste", Rev: 1, Status: record.Approved,
				Fields: json.RawMessage(`{"treatment":"wished-away","weightKg":1}`), Mark: record.NewMark(s.now()), CreatedAt: s.now(), UpdatedAt: s.now(),
				Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: s.now()}}
		}
		if _, _, err := s.records.InsertRecords(t.Context(), org, record.Sub{Event: "e1", Type: "waste"}, many); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	result, err := s.results.Result(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Failed) != 1000 || result.Failures() != failing {
		t.Errorf("the result names %d of %d", len(result.Failed), result.Failures())
	}
	for level := range 2 {
		nodes, err := s.results.Nodes(t.Context(), org, "e1", "waste", level, 0, 1<<60)
		if err != nil {
			t.Fatal(err)
		}
		failures := int64(0)
		for _, n := range nodes {
			if failures += n.Failures(); len(n.Failed) > 1000 {
				t.Errorf("a node of level %d names %d", level, len(n.Failed))
			}
		}
		if failures != failing {
			t.Errorf("the nodes of level %d count %d failures", level, failures)
		}
	}
	if text, err := json.Marshal(result); err != nil || len(text) > 100_000 {
		t.Errorf("the stored result has %d bytes, %v", len(text), err)
	}
	a := s.of("").want(http.StatusOK)
	if a.data("total", "kgCO2e") != "520.580230" {
		t.Errorf("the total is %s", a.data("total", "kgCO2e"))
	}
	// One of them is on groups of people.
	if n := a.count("notices"); n != 102 || !strings.HasPrefix(a.data("notices", n-1, "message"), "1200 more records") {
		t.Errorf("%d notices, the last one %s", n, a.data("notices", n-1, "message"))
	}
	if len(a.body) > 100_000 {
		t.Errorf("the answer has %d bytes", len(a.body))
	}
}
