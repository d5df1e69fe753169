package signoff

import (
	"fmt"
	"math/bits"
	"testing"
)

// The model of the sign-off protocol, explored exhaustively: every interleaving
// of movers, signers, workers, inserts, crashes and sweeps within small bounds.
// A process that stalls or dies is one that takes no further step, so both are
// part of every exploration; what a sweeper does to it is a step of its own.
//
// The property: while an event is signed, its approved records are those of the
// signed figure, the newest result is that figure, and nothing is marked.

const (
	modelRecords = 2
	modelMovers  = 2
	modelSigners = 2
	modelWorkers = 2
)

type modelState struct {
	epoch  int8 // even: open; odd: closing, or signed
	signed bool
	// kept is the figure stored with the signature: a set of approved records.
	kept uint8

	records [modelRecords]modelRecord
	movers  [modelMovers]modelMover
	signers [modelSigners]modelSigner
	workers [modelWorkers]modelWorker

	result        int8 // revision: rises where the figure changes
	version       int8 // of the stored result: rises with every write
	resultFigure  uint8
	moves, signs  int8 // remaining starts
	inserts       int8
	sweeps, opens int8
}

type modelRecord struct {
	exists, approved bool
	rev, fence       int8
	mark             int8 // the revision of the change; 0: none
}

// modelMover approves or reopens one record: it reads the record, then the
// event, then writes on the condition that both are as read.
type modelMover struct {
	phase              int8 // 0 idle, 1 has read the record, 2 has read the event
	target, rev, fence int8
	epoch              int8
}

// modelSigner runs one sign-off. cursor is the next record to fence.
type modelSigner struct {
	phase         int8 // 0 idle, 1 fencing, 2 waiting for marks, 3 has stored the parts
	epoch, cursor int8
	revision      int8
	figure        uint8
}

// modelWorker recalculates: it reads marks, sums approved records, writes the result if it is still the one it read,
// and clears the marks it read.
type modelWorker struct {
	phase   int8
	marks   [modelRecords]int8
	version int8
	figure  uint8
}

// mutation breaks one rule of the protocol; the exploration must notice.
type mutation int

const (
	faithful mutation = iota
	staleEventRead
	eventReadFirst
	writeIgnoresFence
	noFencing
	noWaitForMarks
	lateSignature
	clearsForeignMarks
)

var mutationNames = map[mutation]string{
	faithful: "faithful", staleEventRead: "a stale event read", eventReadFirst: "the event is read before the record",
	writeIgnoresFence: "a write ignores the fence", noFencing: "no record is fenced",
	noWaitForMarks: "marks are not waited for", lateSignature: "the signature ignores the epoch",
	clearsForeignMarks: "a worker clears marks it has not read",
}

func (s modelState) approved() (figure uint8) {
	for i, r := range s.records {
		if r.approved {
			figure |= 1 << i
		}
	}
	return figure
}

func (s modelState) marked() bool {
	for _, r := range s.records {
		if r.mark != 0 {
			return true
		}
	}
	return false
}

func (s modelState) open() bool { return s.epoch%2 == 0 }

func (s modelState) violation() string {
	if !s.signed {
		return ""
	}
	switch {
	case s.approved() != s.kept:
		return fmt.Sprintf("signed figure %02b, approved %02b", s.kept, s.approved())
	case s.resultFigure != s.kept:
		return fmt.Sprintf("signed figure %02b, newest result %02b", s.kept, s.resultFigure)
	case s.marked():
		return "a record of a signed event is marked"
	}
	return ""
}

// next returns the states that one step leads to.
func (s modelState) next(m mutation) (all []modelState) {
	step := func(change func(n *modelState)) {
		n := s
		change(&n)
		all = append(all, n)
	}
	for i := range s.records {
		if !s.records[i].exists && s.inserts > 0 {
			step(func(n *modelState) { n.inserts--; n.records[i] = modelRecord{exists: true, rev: 1} })
		}
	}
	for i := range s.movers {
		s.moverSteps(i, m, step)
	}
	for i := range s.signers {
		s.signerSteps(i, m, step)
	}
	for i := range s.workers {
		s.workerSteps(i, m, step)
	}
	if !s.open() && !s.signed && s.sweeps > 0 {
		step(func(n *modelState) { n.sweeps--; n.epoch++ })
	}
	if s.signed && s.opens > 0 {
		step(func(n *modelState) { n.opens--; n.epoch++; n.signed = false })
	}
	return all
}

func (s modelState) moverSteps(i int, m mutation, step func(func(*modelState))) {
	v := s.movers[i]
	read := func(n *modelState, target int) {
		r := n.records[target]
		n.movers[i].target, n.movers[i].rev, n.movers[i].fence = int8(target), r.rev, r.fence
	}
	switch {
	case v.phase == 0 && s.moves > 0 && m == eventReadFirst:
		for target := range s.records {
			if s.open() {
				step(func(n *modelState) {
					n.moves--
					n.movers[i] = modelMover{phase: 1, target: int8(target), epoch: n.epoch}
				})
			}
		}
	case v.phase == 1 && m == eventReadFirst:
		if r := s.records[v.target]; r.exists && r.fence <= v.epoch {
			step(func(n *modelState) { n.movers[i].phase = 2; read(n, int(v.target)) })
		}
	case v.phase == 0 && s.moves > 0:
		for target := range s.records {
			if s.records[target].exists {
				step(func(n *modelState) { n.moves--; n.movers[i].phase = 1; read(n, target) })
			}
		}
	case v.phase == 1:
		for epoch := int8(0); epoch <= s.epoch; epoch += 2 {
			if epoch != s.epoch && m != staleEventRead || epoch < v.fence {
				continue // rejected, or read again
			}
			step(func(n *modelState) { n.movers[i].phase, n.movers[i].epoch = 2, epoch })
		}
		step(func(n *modelState) { n.movers[i] = modelMover{} })
	case v.phase == 2:
		step(func(n *modelState) {
			n.movers[i] = modelMover{}
			r := &n.records[v.target]
			if r.rev != v.rev || r.fence != v.fence && m != writeIgnoresFence {
				return
			}
			r.rev++
			r.approved, r.mark = !r.approved, r.rev
		})
	}
}

func (s modelState) signerSteps(i int, m mutation, step func(func(*modelState))) {
	v := s.signers[i]
	current := s.epoch == v.epoch && !s.signed
	switch {
	case v.phase == 0 && s.signs > 0 && s.open() && !s.marked():
		step(func(n *modelState) {
			n.signs--
			n.epoch++
			n.signers[i] = modelSigner{phase: 1, epoch: n.epoch, revision: n.result}
		})
	case v.phase == 1 && (int(v.cursor) == modelRecords || m == noFencing):
		step(func(n *modelState) { n.signers[i].phase = 2 })
	case v.phase == 1:
		step(func(n *modelState) {
			n.signers[i].cursor++
			if r := &n.records[v.cursor]; r.exists && r.fence < v.epoch {
				r.fence = v.epoch
			}
		})
	case v.phase == 2 && (!s.marked() || m == noWaitForMarks):
		step(func(n *modelState) {
			if n.result != v.revision {
				n.signers[i] = modelSigner{}
				if current {
					n.epoch++
				}
				return
			}
			n.signers[i].phase, n.signers[i].figure = 3, n.resultFigure
		})
	case v.phase == 3:
		step(func(n *modelState) {
			n.signers[i] = modelSigner{}
			if current || m == lateSignature && !n.signed {
				n.signed, n.kept = true, v.figure
				if n.open() {
					n.epoch++
				}
			}
		})
	}
}

func (s modelState) workerSteps(i int, m mutation, step func(func(*modelState))) {
	v := s.workers[i]
	switch v.phase {
	case 0:
		if s.marked() {
			step(func(n *modelState) {
				w := modelWorker{phase: 1, version: n.version}
				for r := range n.records {
					w.marks[r] = n.records[r].mark
				}
				n.workers[i] = w
			})
		}
	case 1:
		step(func(n *modelState) { n.workers[i].phase, n.workers[i].figure = 2, n.approved() })
	case 2:
		step(func(n *modelState) {
			if n.version != v.version {
				n.workers[i] = modelWorker{}
				return
			}
			n.workers[i].phase = 3
			n.version++
			if n.resultFigure != v.figure {
				n.result++
				n.resultFigure = v.figure
			}
		})
	case 3:
		step(func(n *modelState) {
			n.workers[i] = modelWorker{}
			for r := range n.records {
				if n.records[r].mark == v.marks[r] || m == clearsForeignMarks {
					n.records[r].mark = 0
				}
			}
		})
	}
}

// explore returns the number of states, and the first violation found.
func explore(start modelState, m mutation, limit int) (states int, violation string) {
	seen := map[modelState]bool{start: true}
	queue := []modelState{start}
	for len(queue) > 0 && len(seen) < limit {
		s := queue[0]
		queue = queue[1:]
		for _, n := range s.next(m) {
			if seen[n] {
				continue
			}
			if v := n.violation(); v != "" {
				return len(seen), v
			}
			seen[n] = true
			queue = append(queue, n)
		}
	}
	return len(seen), ""
}

// beginning has one approved record in the figure and one that may be approved.
func beginning(moves, signs int8) modelState {
	s := modelState{moves: moves, signs: signs, inserts: 1, sweeps: 1, opens: 1, resultFigure: 1, result: 1}
	s.records[0] = modelRecord{exists: true, approved: true, rev: 1}
	return s
}

// modelLimit bounds the exploration; the faithful model is smaller than it.
const modelLimit = 3_000_000

func TestTheSignedFigureStands(t *testing.T) {
	t.Parallel()
	states, violation := explore(beginning(2, 2), faithful, modelLimit)
	if violation != "" {
		t.Errorf("after %d states: %s", states, violation)
	}
	if states >= modelLimit || bits.Len(uint(states)) < 10 {
		t.Errorf("%d states: the exploration was cut short, or explored nothing", states)
	}
	t.Logf("%d states", states)
}

func TestEachBrokenRuleIsNoticed(t *testing.T) {
	t.Parallel()
	for m := range mutationNames {
		if m == faithful {
			continue
		}
		t.Run(mutationNames[m], func(t *testing.T) {
			t.Parallel()
			if states, violation := explore(beginning(2, 2), m, modelLimit); violation == "" {
				t.Errorf("%d states, and the signed figure stood", states)
			}
		})
	}
}
