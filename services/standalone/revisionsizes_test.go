package standalone_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestStoredBytesOfAConference measures what the example conference, with many kinds of lines, leaves in the embedded
// engine: while its records are approved one by one, and for each later correction of an approved record. A revision
// of the result has a sum for each kind of line, so it is many times that of an event of two records over and
// over. The runbook states the measured bytes.
func TestStoredBytesOfAConference(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), inFile(t)
	ev := s.event(t, 1)
	by := record.Actor{ID: strings.Repeat("j", 26), Name: "Grace Hopper", Role: identity.Manager}
	flow := record.Workflow{Store: s.records, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	worker := resulttree.NewRecalculator(s.records, s.results, time.Now)
	move := func(key record.Key, moves ...record.Move) {
		for _, m := range moves {
			_, err := flow.Apply(ctx, record.Request{Org: ev.Org, Key: key, Move: m, By: by, Comment: "as agreed"})
			must(t, err)
		}
		must(t, worker.Recalculate(ctx, ev.Org, ev.ID))
	}
	var keys []record.Key
	for _, typ := range []string{"flights", "accommodation", "venue", "waste"} {
		text, err := os.ReadFile(filepath.Join("../../examples/london-conference", typ+".json"))
		must(t, err)
		var bodies []json.RawMessage
		must(t, json.Unmarshal(text, &bodies))
		for _, body := range bodies {
			decoded, err := footprint.Decode(typ, body, ev.Context())
			must(t, err)
			r := record.Record{ID: record.ID(record.NewID()), Event: ev.ID, Type: typ, Fields: decoded.Fields, ContextRev: ev.ContextRev}
			r.Preview, r.Contribution, err = record.Evaluate(typ, decoded.Fields, nil, ev.Context())
			must(t, err)
			r, err = flow.Insert(ctx, ev.Org, r, by)
			must(t, err)
			move(r.Key(), record.Submit, record.Approve)
			keys = append(keys, r.Key())
		}
	}
	entered := s.bytes()
	for _, key := range keys {
		move(key, record.Reopen)
		move(key, record.Submit, record.Approve)
	}
	corrected := s.bytes()
	stated := statedConference(t)
	for _, kind := range []string{"records", "history", "revisions", "changes"} {
		after := corrected[kind].each(entered[kind], len(keys))
		measured := [2]float64{entered[kind].pages / float64(len(keys)), after.pages}
		t.Logf("%s: %.0f bytes a record, %.0f a correction; a row has %.0f, then %.0f", kind, measured[0], measured[1], entered[kind].data/entered[kind].rows, after.data/max(after.rows, 0.001))
		for i, is := range measured {
			if want := float64(stated[kind][i]); is > want*1.25+50 || is < want*0.75-50 {
				t.Errorf("%s: %.0f bytes, and %.0f in %s", kind, is, want, runbook)
			}
		}
	}
}

// statedConference reads the rows "| kind | bytes a record | bytes a correction |" of the runbook's section about the
// conference.
func statedConference(t *testing.T) map[string][2]int {
	t.Helper()
	text, err := os.ReadFile(runbook)
	must(t, err)
	_, section, _ := strings.Cut(string(text), "## An event of many kinds of lines\n")
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string][2]int{}
	for _, m := range regexp.MustCompile(`(?m)^\| (records|history|revisions|changes) \| ([0-9,]+) \| ([0-9,]+) \|$`).FindAllStringSubmatch(section, -1) {
		var numbers [2]int
		for i := range numbers {
			numbers[i], err = strconv.Atoi(strings.ReplaceAll(m[i+2], ",", ""))
			must(t, err)
		}
		out[m[1]] = numbers
	}
	return out
}
