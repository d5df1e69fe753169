package mongostore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// most is a sixteenth of the server's limit.
const most = 1 << 20

// actor has the longest possible id and name, and comment is the longest comment, of characters that JSON escapes.
var (
	actor   = record.Actor{ID: strings.Repeat("i", 26), Name: strings.Repeat("\u2028", 200), Role: identity.Manager}
	comment = strings.Repeat("\u2028", record.MaxComment)
)

// worstCauses are as many as a list can have, each of maximum length.
func worstCauses() (all []resulttree.Cause) {
	for n := range 100 {
		c := resulttree.Cause{Action: fmt.Sprint("request-changes", n), By: actor, At: time.Now(), Comment: comment}
		for r := range 500 {
			c.RecordIDs = append(c.RecordIDs, record.ID(fmt.Sprintf("%026d", 1000*n+r)))
		}
		all = resulttree.MergeCauses(all, c, c)
	}
	return all
}

// TestNoDocumentOfAResultNearsTheLargest builds the largest document of each kind. Bounds are resulttree.Fanout
// children of a node, all of which a version may change, merged causes, and the failed records of a sum of nodes.
func TestNoDocumentOfAResultNearsTheLargest(t *testing.T) {
	t.Parallel()
	context := footprint.EventContext{FactorSet: "desnz-2026", Country: "GB"}
	_, contribution, err := record.Evaluate("waste", []byte(`{"treatment":"landfill","weightKg":1234.25}`), nil, context)
	if err != nil {
		t.Fatal(err)
	}
	value := decimal.New(1<<62, 0).String()
	var node resulttree.Node
	for n := range resulttree.Fanout {
		before := resulttree.Child{Key: fmt.Sprintf("%026d", n), Hash: strings.Repeat("f", 64), Value: strings.Repeat(value, 8)}
		after := before
		after.Key = fmt.Sprintf("%025dx", n)
		node.Detail.Children = append(node.Detail.Children, after)
		node.Detail.Changed = append(node.Detail.Changed, resulttree.Change{Before: before}, resulttree.Change{After: after})
		node.Failed = append(node.Failed, record.ID(fmt.Sprintf("%026d", n)))
	}
	node.Detail.Causes, node.Contribution = worstCauses(), slices.Repeat(contribution, 40)
	whole, err := docOfNode(node)
	within(t, "node", whole, err)
	apart := whole
	err = apart.separate(node.Detail)
	within(t, "node written in parts", apart, err)

	text, err := json.Marshal(node.Detail.Changed)
	if err != nil {
		t.Fatal(err)
	}
	causes, err := causesText(node.Detail.Causes)
	within(t, "changes of a node", changesDoc{Changed: string(text), Causes: causes}, err)

	// An event of many millions of records, none of which can be calculated.
	result, err := docOfResult(resulttree.Result{Contribution: node.Contribution, Causes: node.Detail.Causes, FailedCount: 1 << 40,
		Failed: resulttree.SumFailures(slices.Repeat([]resulttree.Node{node}, 50_000)), Children: node.Detail.Children})
	within(t, "result", result, err)
}

func within(t *testing.T, kind string, document any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	data, err := bson.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", kind, len(data))
	if len(data) > most {
		t.Errorf("the largest %s has %d bytes, more than %d", kind, len(data), most)
	}
}
