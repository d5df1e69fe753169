package sqlitestore

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
)

// The cache of recently decoded event texts, and the longest cached text.
const (
	keptTexts   = 4 << 20
	longestText = 4 << 10
)

// eventTexts are the fields of an event stored as text.
type eventTexts struct {
	body       eventBody
	createdBy  record.Actor
	governance record.Governance
}

// decoded caches the decoded texts of events: every request below an event reads them, and few change them. The key
// is the whole encoded text, so nothing needs invalidation.
var decoded = lru.NewCosting[string](keptTexts, func(k keptEvent) int { return 3 * k.size })

type keptEvent struct {
	texts eventTexts
	size  int // of the texts
}

// decodeEvent decodes the body of an event, and its governance where it has one.
func decodeEvent(body []byte, governance *string) (eventTexts, error) {
	key := string(body)
	if governance != nil {
		key = *governance + key // an object each, so that no other two are the same together
	}
	if kept, ok := decoded.Get(key); ok {
		return kept.texts.clone(), nil
	}
	var t eventTexts
	if governance != nil {
		if err := json.Unmarshal([]byte(*governance), &t.governance); err != nil {
			return t, err
		}
	}
	if err := json.Unmarshal(body, &t.body); err != nil {
		return t, err
	}
	var err error
	if t.createdBy, err = actorFromJSON(t.body.CreatedBy); err != nil {
		return t, err
	}
	if len(key) <= longestText && t.simple() {
		decoded.Put(key, keptEvent{t.clone(), len(key)})
	}
	return t, nil
}

// simple reports whether clone copies all that the texts refer to.
func (t eventTexts) simple() bool {
	g := t.governance
	return len(g.Owed)+len(g.Editions)+len(g.Proposals) == 0 && g.Gate.Pending == nil && g.Gate.Failure == nil
}

// clone returns a copy that may be changed.
func (t eventTexts) clone() eventTexts {
	t.body.Attendees, t.body.VirtualAttendees = copyOf(t.body.Attendees), copyOf(t.body.VirtualAttendees)
	t.body.Metadata, t.body.Compensation = maps.Clone(t.body.Metadata), slices.Clone(t.body.Compensation)
	// The JSON values in it are replaced, never modified.
	t.governance.Last.Changed = slices.Clone(t.governance.Last.Changed)
	return t
}

func copyOf(n *int64) *int64 {
	if n == nil {
		return nil
	}
	return new(*n)
}
