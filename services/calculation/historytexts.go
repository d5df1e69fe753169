package calculation

import (
	"bytes"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// keptRevisions is the size in bytes of the cache of formatted superseded results: some thousand of them.
const keptRevisions = 8 << 20

// revisionTexts caches superseded results as formatted for the history of an event, which never change: formatting a
// page of a hundred takes longer than reading them.
type revisionTexts struct {
	kept *lru.Cache[revisionKey, []byte]
}

// revisionKey are the inputs of the text of a superseded result. Since changes when older ones are dropped.
type revisionKey struct {
	org             record.OrgID
	event           record.EventID
	revision, since int64
	inputs          string
	withoutComments bool
}

func newRevisionTexts() *revisionTexts {
	return &revisionTexts{kept: lru.NewCosting[revisionKey](keptRevisions, func(text []byte) int { return 256 + len(text) })}
}

// of returns the text of a superseded result; view formats it if it is not cached.
func (t *revisionTexts) of(r resulttree.Result, withoutComments bool, view func() (resultView, error)) ([]byte, error) {
	key := revisionKey{r.Org, r.Event, r.Revision, r.Since, r.InputsHash, withoutComments}
	if text, ok := t.kept.Get(key); ok {
		return text, nil
	}
	text, err := textOf(view)
	if err != nil {
		return nil, err
	}
	text = bytes.Clone(text) // without the room of its buffer
	t.kept.Put(key, text)
	return text, nil
}

// textOf returns a result as served.
func textOf(view func() (resultView, error)) ([]byte, error) {
	v, err := view()
	if err != nil {
		return nil, err
	}
	return plainjson.MarshalUnescaped(v)
}

// textList is a list of encoded items.
type textList web.List[[]byte]

// AppendJSON appends the list as web.List is written.
func (l textList) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, `{"items":[`...)
	for n, text := range l.Items {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	pagination, err := json.Marshal(l.Pagination)
	if err != nil {
		return nil, err
	}
	return append(append(plainjson.AppendName(append(b, ']'), "pagination"), pagination...), '}'), nil
}
