// Package resulttree keeps an event's result up to date with its approved
// records. It contains the tree of exact sums of which a result consists, the protocol
// by which any number of workers write it concurrently, the worker and the sweeper that run
// it, and the comparison of two results. The arithmetic itself is libs/footprint.
package resulttree

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
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

	// Version rises with every write, also of the same content, so that a
	// slower and older scan can never overwrite a newer one.
	Version int64
	// ContextRev is the event's at the time of the calculation.
	ContextRev int64
	// Contribution is the exact sum, canonical JSON of total.Contribution.
	Contribution json.RawMessage
	// Failed are the ids of approved records that could not be calculated, the first
	// maxFailed of them where there are more; see Failures.
	Failed []record.ID
	// FailedCount is how many there are, where that is more than Failed has.
	FailedCount int64 `json:",omitempty"`
	// Hash is over the inputs: id, type and fields of every record counted on
	// level 0, and the hashes of the children above. All hashes of an event so
	// form a tree.
	Hash string
	// Detail is for the next writer of the node and for comparing results. Nodes
	// leaves it out.
	Detail Detail `json:"-"`
	// Facts are stored beside a segment, and read by Facts alone. PutNode leaves those
	// that are stored where there are none here.
	Facts []byte `json:"-"`
}

// maxFailed bounds the records that a node or a result names as failed: a context
// under which many thousands fail must not make a document that no store takes.
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
	// Causes say why the revision differs from the one before it; none in revisions
	// from before causes were kept.
	Causes []Cause `json:",omitempty"`
	// Previous is the Digest of the revision before; empty for the first and for those
	// from before it was kept.
	Previous string `json:",omitempty"`
	// Since is the first of the revisions before this one that retention has dropped,
	// whose causes are among Causes; 0 where it has dropped none.
	Since int64 `json:",omitempty"`
}

// Store is the interface of storage engines for results. Every
// write affects one document and is atomic and durable when it returns nil;
// reads see every previously acknowledged write. The suite in resulttest verifies
// this contract for every engine.
type Store interface {
	// Together makes the writes that fn makes with the context it is given, into this
	// store and into the one of records beside it. Where it returns nil all of them are
	// made and durable. An engine that can makes them one: none is seen before the
	// others, and none is made where one fails or fn does; what a write returns to fn
	// says nothing then. Any other engine makes each when it comes and none after one
	// that failed, so their order must be one that may end anywhere. fn reads nothing,
	// and passes the error of a write on.
	Together(ctx context.Context, fn func(ctx context.Context) error) error
	// Parts keep the revisions that were signed off.
	editions.Parts
	// What retention has dropped, and how.
	RetentionStore
	// Node reads one node; ErrNotFound.
	Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
	// PutNode stores n, whose Version is prevVersion + 1, where the stored
	// version is prevVersion (0: where there is none), else ErrConflict.
	PutNode(ctx context.Context, n Node, prevVersion int64) error
	// Nodes reads the nodes of one level with from ≤ Index ≤ to, of one type or,
	// when typ is empty, of all, ordered by type and index, without their Detail.
	Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]Node, error)
	// Facts reads the stored facts of the segments with from ≤ Index ≤ to, of one type or,
	// when typ is empty, of all, ordered by type and index.
	Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]NodeFacts, error)
	// KeepFacts stores facts beside a segment whose stored version is this one, and does
	// nothing beside another.
	KeepFacts(ctx context.Context, org record.OrgID, event record.EventID, facts NodeFacts, version int64) error
	// InsertChanges keeps what one version of a node changed under (node,
	// Version). That it is there already is success.
	InsertChanges(ctx context.Context, c NodeChanges) error
	// Changes reads the kept changes of a node with after < Version ≤ to, oldest
	// first. Those of the newest version are not among them until it has been
	// replaced.
	Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
	// Result reads an event's newest result; ErrNotFound.
	Result(ctx context.Context, org record.OrgID, event record.EventID) (Result, error)
	// PutResult stores r like PutNode does.
	PutResult(ctx context.Context, r Result, prevVersion int64) error
	// InsertRevision keeps a result for the history under (event, Revision).
	// That it is there already is success.
	InsertRevision(ctx context.Context, r Result) error
	// Revisions reads the kept results from ≤ Revision ≤ to of an event, newest
	// first. The newest result is not among them until it has been replaced.
	Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]Result, error)
}
