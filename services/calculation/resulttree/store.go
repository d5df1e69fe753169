// Package resulttree keeps an event's result up to date with its approved
// records. It contains the tree of exact sums of which a result consists, the protocol
// by which any number of workers write it concurrently, the worker and the sweeper that run
// it, and the comparison of two results. The arithmetic itself is libs/footprint.
package resulttree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// Fanout is the number of consecutive sequence numbers in a node of level 0, and
// of nodes of one level in a node of the next. The cost of one
// approval is that of reading at most Fanout children on each level, however
// large the event is.
const Fanout = 512

// TopLevel is the level whose nodes the result is summed from. With two levels
// one top node covers Fanout² = 262,144 records of a type, so the result of an
// event of a million records reads a handful of them.
const TopLevel = 1

// Errors of a Store.
var (
	// ErrNotFound: no such node, result or revision.
	ErrNotFound = errors.New("resulttree: not found")
	// ErrConflict: the version has moved since it was read.
	ErrConflict = errors.New("resulttree: version has moved")
)

// NodeID names a node within an event. A node of level 0, a segment, covers the
// records of one type with Seq Index*Fanout+1 … (Index+1)*Fanout; a node of a
// higher level covers as many nodes of the level below.
type NodeID struct {
	Type  string
	Level int
	Index int64
}

// Node is the sum over one part of an event's approved records.
type Node struct {
	Org   record.OrgID
	Event record.EventID
	NodeID

	// Version increases with every write, even of the same content, so that a slow, outdated calculation can never
	// overwrite a newer one.
	Version int64
	// ContextRev is the event's at the time of the calculation.
	ContextRev int64
	// Contribution is the exact sum, canonical JSON of total.Contribution.
	Contribution json.RawMessage
	// Failed are the ids of approved records that could not be calculated, at most the first maxFailed; see Failures.
	Failed []record.ID
	// FailedCount is their number, if larger than the length of Failed.
	FailedCount int64 `json:",omitempty"`
	// Hash is over the inputs: id, type and fields of every record counted on
	// level 0, and the hashes of the children above. All hashes of an event so
	// form a tree.
	Hash string
	// Detail is for the next writer of the node and for comparing results. Nodes omits it.
	Detail Detail `json:"-"`
	// Facts are stored with a segment, and read only by Facts. If empty, PutNode keeps the stored ones.
	Facts []byte `json:"-"`
}

// maxFailed bounds the failed records that a node or a result names: a context in which many thousands fail must not
// exceed the maximum size of a document.
const maxFailed = 1000

// Failures returns how many approved records could not be calculated.
func (n Node) Failures() int64 { return max(n.FailedCount, int64(len(n.Failed))) }

// Failures returns how many approved records could not be calculated.
func (r Result) Failures() int64 { return max(r.FailedCount, int64(len(r.Failed))) }

// SumFailures returns the ids that a sum of nodes names as failed.
func SumFailures(nodes []Node) (failed []record.ID) {
	for _, n := range nodes {
		failed = append(failed, n.Failed[:min(len(n.Failed), maxFailed-len(failed))]...)
	}
	return failed
}

// Result is the sum over the top nodes of an event: what GET results serves.
type Result struct {
	Org   record.OrgID
	Event record.EventID

	// Version is the guard against older writers; see Node.Version.
	Version int64
	// Revision numbers the distinct results of the event 1, 2, 3 …: it rises
	// only when the content changes. Clients see this one.
	Revision int64
	// ContextRev and Context are the event's at the time of the calculation.
	ContextRev int64
	Context    footprint.EventContext
	// Contribution is the exact sum, canonical JSON of total.Contribution.
	Contribution  json.RawMessage
	Failed        []record.ID
	FailedCount   int64 `json:",omitempty"` // as that of a node
	EngineVersion string
	// InputsHash is the root of the hash tree over all inputs: event context,
	// factor set and every counted record.
	InputsHash   string
	CalculatedAt time.Time // when the content changed last
	// Children are the top nodes it was summed from, with their versions.
	Children []Child `json:"Tops"`
	// Causes state why the revision differs from the previous one; none in revisions that predate causes.
	Causes []Cause `json:",omitempty"`
	// Previous is the Digest of the previous revision; empty for the first and for those that predate it.
	Previous string `json:",omitempty"`
	// Since is the first of the revisions before this one that retention has dropped and whose causes are among
	// Causes; 0 if none.
	Since int64 `json:",omitempty"`
}

// Sum returns the exact sum; that of the zero Result, which is none, is zero.
func (r Result) Sum() (sum total.Contribution, err error) {
	if r.Version == 0 && len(r.Contribution) == 0 {
		return sum, nil
	}
	// json.Unmarshal would first scan all of it for its end.
	if err := sum.UnmarshalJSON(r.Contribution); err != nil {
		return sum, fmt.Errorf("result of event %s, revision %d: %w", r.Event, r.Revision, err)
	}
	return sum, nil
}

// Store is the interface of storage engines for results. Every
// write affects one document and is atomic and durable when it returns nil;
// reads see every previously acknowledged write. The suite in resulttest verifies
// this contract for every engine.
type Store interface {
	// Together combines the writes that fn makes with the context passed to it, into this store and the record store.
	// If it returns nil all of them are durable. An engine with transactions makes them atomically: none is visible
	// before the others, and none is made if one fails or fn does; then the results of writes inside fn are
	// meaningless. Another engine makes each immediately and none after a failed one, so the sequence must be valid
	// after any prefix. fn must not read, and must return the error of a write.
	Together(ctx context.Context, fn func(ctx context.Context) error) error
	// Parts store the signed revisions.
	editions.Parts
	// The state of retention.
	RetentionStore
	// Node reads one node; ErrNotFound.
	Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
	// PutNode stores n, whose Version is prevVersion + 1, if the stored version is prevVersion (0: none), else it
	// returns ErrConflict.
	PutNode(ctx context.Context, n Node, prevVersion int64) error
	// Nodes reads the nodes of one level with from ≤ Index ≤ to, of one type or,
	// when typ is empty, of all, ordered by type and index, without their Detail.
	Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]Node, error)
	// Facts reads the stored facts of the segments with from ≤ Index ≤ to, of one type or,
	// when typ is empty, of all, ordered by type and index.
	Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]NodeFacts, error)
	// KeepFacts stores facts with a segment if its stored version is the given one, and does nothing otherwise.
	KeepFacts(ctx context.Context, org record.OrgID, event record.EventID, facts NodeFacts, version int64) error
	// InsertChanges stores the changes of one version of a node under (node, Version). It succeeds if they exist.
	InsertChanges(ctx context.Context, c NodeChanges) error
	// Changes reads the stored changes of a node with after < Version ≤ to, oldest first. Those of the newest
	// version are stored when it is replaced.
	Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
	// Result reads an event's newest result; ErrNotFound.
	Result(ctx context.Context, org record.OrgID, event record.EventID) (Result, error)
	// PutResult stores r as PutNode does.
	PutResult(ctx context.Context, r Result, prevVersion int64) error
	// InsertRevision stores a result for the history under (event, Revision). It succeeds if it exists.
	InsertRevision(ctx context.Context, r Result) error
	// Revisions reads the stored results from ≤ Revision ≤ to of an event, newest first. The newest result is
	// stored there when it is replaced.
	Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]Result, error)
}
