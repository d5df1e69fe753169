package mongostore

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// nodeDoc is a stored node. Canonical JSON is stored as a string: its bytes are part of hashes, and its keys contain
// dots.
type nodeDoc struct {
	ID           string         `bson:"_id"`
	Org          record.OrgID   `bson:"org"`
	Event        record.EventID `bson:"event"`
	Level        int            `bson:"level"`
	Type         string         `bson:"type"`
	Index        int64          `bson:"index"`
	Version      int64          `bson:"version"`
	ContextRev   int64          `bson:"contextRev"`
	Contribution string         `bson:"contribution"`
	Failed       []record.ID    `bson:"failed"`
	FailedCount  int64          `bson:"failedCount,omitempty"`
	Hash         string         `bson:"hash"`
	// Detail is the text of everything except the following, in nodes that were written whole, and otherwise the
	// value apart.
	Detail any `bson:"detail,omitempty"`
	// Children are those of the detail by their keys, as "hash|value", and Recent the rest of the detail, in nodes
	// that are written as deltas.
	Children bson.D `bson:"children,omitempty"`
	Recent   string `bson:"recent,omitempty"`
	// Facts are those of a segment. Only the method Facts reads them.
	Facts []byte `bson:"facts,omitempty"`
}

func nodeID(org record.OrgID, event record.EventID, id resulttree.NodeID) string {
	return string(org) + "/" + string(event) + "/" + strconv.Itoa(id.Level) + "/" + id.Type + "/" + strconv.FormatInt(id.Index, 10)
}

func docOfNode(n resulttree.Node) (nodeDoc, error) {
	detail, err := resulttree.EncodeDetail(n.Detail)
	if err != nil {
		return nodeDoc{}, mongox.Wrap("store node", err)
	}
	return nodeDoc{
		ID: nodeID(n.Org, n.Event, n.NodeID), Org: n.Org, Event: n.Event, Level: n.Level, Type: n.Type, Index: n.Index,
		Version: n.Version, ContextRev: n.ContextRev, Contribution: string(n.Contribution), Failed: n.Failed, FailedCount: n.FailedCount, Hash: n.Hash, Detail: string(detail), Facts: n.Facts,
	}, nil
}

func (d nodeDoc) node() (resulttree.Node, error) {
	n := resulttree.Node{
		Org: d.Org, Event: d.Event, NodeID: resulttree.NodeID{Type: d.Type, Level: d.Level, Index: d.Index},
		Version: d.Version, ContextRev: d.ContextRev, Contribution: json.RawMessage(d.Contribution), Failed: d.Failed, FailedCount: d.FailedCount, Hash: d.Hash,
	}
	whole, _ := d.Detail.(string)
	for _, text := range []string{whole, d.Recent} {
		if text == "" {
			continue
		}
		detail, err := resulttree.DecodeDetail([]byte(text))
		if err != nil {
			return n, mongox.Wrap("read node", err)
		}
		n.Detail = detail
	}
	for _, e := range d.Children {
		var c resulttree.Child
		value, _ := e.Value.(string)
		if err := c.UnmarshalText([]byte(e.Key + "|" + value)); err != nil {
			return n, mongox.Wrap("read node", err)
		}
		n.Detail.Children = append(n.Detail.Children, c)
	}
	if len(d.Children) > 0 {
		slices.SortFunc(n.Detail.Children, func(a, b resulttree.Child) int { return strings.Compare(a.Key, b.Key) })
	}
	return n, nil
}

// Node implements resulttree.Store.
func (s *Store) Node(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID) (resulttree.Node, error) {
	var d nodeDoc
	err := s.nodes.FindOne(ctx, bson.D{{Key: "_id", Value: nodeID(org, event, id)}, {Key: "org", Value: org}, {Key: "event", Value: event}},
		options.FindOne().SetProjection(bson.D{{Key: "facts", Value: 0}})).Decode(&d)
	if mongox.IsNoDocument(err) {
		return resulttree.Node{}, resulttree.ErrNotFound
	}
	if err != nil {
		return resulttree.Node{}, mongox.Wrap("read node", err)
	}
	return d.node()
}

// PutNode implements resulttree.Store.
func (s *Store) PutNode(ctx context.Context, n resulttree.Node, prevVersion int64) error {
	d, err := docOfNode(n)
	if err != nil {
		return err
	}
	key := keyOf(d.ID, n.Org, n.Event)
	if !separable(n.Detail) || !s.form.separate(ctx) {
		return put(ctx, s.nodes, key, d, prevVersion)
	}
	if err := d.separate(n.Detail); err != nil {
		return err
	}
	if prevVersion > 0 && len(n.Detail.Changed) <= mostDeltas {
		if stored, err := s.putDelta(ctx, key, d, n, prevVersion); err != nil || stored {
			return err
		}
		// Another version, or one that was written whole.
	}
	return put(ctx, s.nodes, key, d, prevVersion)
}

// nodesAtOnce is how many nodes one answer of the server may have: all that one is
// summed from, so that reading them is one command.
const nodesAtOnce = 2 * resulttree.Fanout

// Nodes implements resulttree.Store.
func (s *Store) Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]resulttree.Node, error) {
	filter := bson.D{{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: level}}
	if typ != "" {
		filter = append(filter, bson.E{Key: "type", Value: typ})
	}
	filter = append(filter, bson.E{Key: "index", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}})
	cursor, err := s.nodes.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: "type", Value: 1}, {Key: "index", Value: 1}}).
		SetBatchSize(nodesAtOnce).SetProjection(bson.D{{Key: "detail", Value: 0}, {Key: "children", Value: 0}, {Key: "recent", Value: 0}, {Key: "facts", Value: 0}}))
	if err != nil {
		return nil, mongox.Wrap("read nodes", err)
	}
	var docs []nodeDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("read nodes", err)
	}
	nodes := make([]resulttree.Node, len(docs))
	for i, d := range docs {
		if nodes[i], err = d.node(); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// mostDeltas is the number of changed children from which on a node is written whole.
const mostDeltas = resulttree.Fanout / 4

// separable reports whether the children of a node can be fields of a document. Ids created by the service always
// can.
func separable(d resulttree.Detail) bool {
	return len(d.Children) > 0 && !slices.ContainsFunc(d.Children, func(c resulttree.Child) bool {
		return c.Key == "" || strings.ContainsAny(c.Key, ".$|\x00")
	})
}

// separate converts the children to fields.
func (d *nodeDoc) separate(detail resulttree.Detail) error {
	recent, err := json.Marshal(resulttree.Detail{Changed: detail.Changed, Causes: detail.Causes, Facts: detail.Facts})
	if err != nil {
		return mongox.Wrap("store node", err)
	}
	d.Detail, d.Recent = apart, string(recent)
	for _, c := range detail.Children {
		d.Children = append(d.Children, bson.E{Key: c.Key, Value: c.Hash + "|" + c.Value})
	}
	return nil
}

// putDelta writes the changes of a node since its previous version, and reports whether that was stored in the form
// that permits it. The changes are those of its children since the stored version, which it replaces.
func (s *Store) putDelta(ctx context.Context, key bson.D, d nodeDoc, n resulttree.Node, prevVersion int64) (stored bool, err error) {
	changed := bson.D{{Key: "version", Value: d.Version}, {Key: "contextRev", Value: d.ContextRev}, {Key: "contribution", Value: d.Contribution},
		{Key: "hash", Value: d.Hash}, {Key: "recent", Value: d.Recent}, {Key: "detail", Value: apart}}
	proof := slices.Clone(changed)
	changed = append(changed, bson.E{Key: "failed", Value: d.Failed}, bson.E{Key: "failedCount", Value: d.FailedCount})
	if d.Facts != nil {
		changed = append(changed, bson.E{Key: "facts", Value: d.Facts})
	}
	var gone bson.D
	for _, c := range n.Detail.Changed {
		switch {
		case c.After.Key != "":
			changed = append(changed, bson.E{Key: "children." + c.After.Key, Value: c.After.Hash + "|" + c.After.Value})
		case c.Before.Key != "":
			gone = append(gone, bson.E{Key: "children." + c.Before.Key, Value: ""})
		}
	}
	operators := bson.D{{Key: "$set", Value: changed}}
	if len(gone) > 0 {
		operators = append(operators, bson.E{Key: "$unset", Value: gone})
	}
	of := append(slices.Clone(key), bson.E{Key: "version", Value: prevVersion}, bson.E{Key: "recent", Value: bson.D{{Key: "$exists", Value: true}}})
	stored, err = mongox.Change(ctx, s.nodes, of, operators, proof)
	return stored, mongox.Wrap("store node", err)
}
