package eventreader_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	org   record.OrgID   = "o"
	event record.EventID = "e"
)

// stored is an event's records, and its result as of the last settle.
type stored struct {
	t       *testing.T
	event   record.Event
	records map[string][]record.Counted // by type, by number
	failed  []record.ID
	results []resulttree.Result
	counted [][]record.Counted // in each of them
	nodes   []resulttree.Node
	// read are the segments that were read, and between is called after the reading of each.
	read    []string
	between func(readings int)
	fails   error
}

func newStored(t *testing.T, records map[string][]record.Counted) *stored {
	s := &stored{t: t, records: records, event: record.Event{ID: event, Org: org, Country: "GB", ContextRev: 1, FactorSet: "desnz-2026"}}
	s.settle()
	return s
}

// waste returns n records of waste of 1 kg more each.
func waste(n int) []record.Counted {
	all := make([]record.Counted, n)
	for i := range all {
		all[i] = record.Counted{ID: record.ID(fmt.Sprintf("waste%04d", i+1)), Seq: int64(i + 1), Type: "waste", Rev: 3,
			Fields: fmt.Appendf(nil, `{"treatment":"landfill","weightKg":%d}`, i+1)}
	}
	return all
}

// settle makes the nodes and the result those of the records.
func (s *stored) settle() {
	s.t.Helper()
	ev := s.event.Context()
	under := map[resulttree.NodeID][]record.Counted{}
	segments := map[resulttree.NodeID]*resulttree.Node{}
	var all []record.Counted
	for typ, records := range s.records {
		for _, c := range records {
			id := resulttree.NodeID{Type: typ, Index: (c.Seq - 1) / resulttree.Fanout}
			if segments[id] == nil {
				segments[id] = &resulttree.Node{NodeID: id, ContextRev: s.event.ContextRev}
			}
			if slices.Contains(s.failed, c.ID) {
				segments[id].Failed = append(segments[id].Failed, c.ID)
				continue
			}
			top := resulttree.NodeID{Type: typ, Level: 1, Index: id.Index / resulttree.Fanout}
			under[id], under[top], all = append(under[id], c), append(under[top], c), append(all, c)
		}
	}
	s.nodes = nil
	for id, counted := range under {
		n := resulttree.Node{NodeID: id, Contribution: s.text(s.sum(counted, ev))}
		if id.Level == 0 {
			h := sha256.New()
			for _, c := range counted {
				resulttree.HashRecord(h, c)
			}
			n = *segments[id]
			n.Hash, n.Contribution = hex.EncodeToString(h.Sum(nil)), s.text(s.sum(counted, ev))
		}
		s.nodes = append(s.nodes, n)
	}
	slices.SortFunc(s.nodes, func(a, b resulttree.Node) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Index, b.Index))
	})
	s.counted = append(s.counted, all)
	s.results = append(s.results, resulttree.Result{Org: org, Event: event, ContextRev: s.event.ContextRev, Context: ev,
		Contribution: s.text(s.sum(all, ev)), InputsHash: eventreader.Tree().Root(ev, eventreader.BundleInputs(all))})
}

func (s *stored) sum(records []record.Counted, in footprint.EventContext) total.Contribution {
	s.t.Helper()
	parts := make([]total.Contribution, len(records))
	for i, c := range records {
		evaluation, err := footprint.Evaluate(c.Type, c.Fields, in)
		if err != nil {
			s.t.Fatal(err)
		}
		parts[i] = total.Of(&evaluation)
	}
	return total.Sum(parts...)
}

func (s *stored) text(sum total.Contribution) json.RawMessage {
	text, err := json.Marshal(sum)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *stored) reader() eventreader.Reader { return eventreader.Reader{Records: s, Results: s} }

func (s *stored) Approved(_ context.Context, _ record.OrgID, sub record.Sub, from, to int64) (found []record.Counted, err error) {
	if s.fails != nil {
		return nil, s.fails
	}
	for _, c := range s.records[sub.Type] {
		if from <= c.Seq && c.Seq <= to {
			found = append(found, c)
		}
	}
	s.read = append(s.read, fmt.Sprint(sub.Type, (from-1)/resulttree.Fanout))
	if s.between != nil {
		s.between(len(s.read))
	}
	return found, nil
}

func (s *stored) Result(context.Context, record.OrgID, record.EventID) (resulttree.Result, error) {
	return s.results[len(s.results)-1], nil
}

func (s *stored) Nodes(_ context.Context, _ record.OrgID, _ record.EventID, typ string, level int, from, to int64) (found []resulttree.Node, err error) {
	for _, n := range s.nodes {
		if (typ == "" || n.Type == typ) && n.Level == level && from <= n.Index && n.Index <= to {
			found = append(found, n)
		}
	}
	return found, nil
}

// edit gives a record of waste another weight.
func (s *stored) edit(seq int64, kg int) {
	all := slices.Clone(s.records["waste"])
	all[seq-1].Fields = fmt.Appendf(nil, `{"treatment":"landfill","weightKg":%d}`, kg)
	all[seq-1].Rev++
	s.records["waste"] = all
}

func trains(n int) []record.Counted {
	all := make([]record.Counted, n)
	for i := range all {
		all[i] = record.Counted{ID: record.ID(fmt.Sprintf("train%04d", i+1)), Seq: int64(i + 1), Type: "ground-transport", Rev: 1,
			Fields: json.RawMessage(`{"mode":"rail","distanceKm":100,"passengers":1}`)}
	}
	return all
}
