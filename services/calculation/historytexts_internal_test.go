package calculation

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestSupersededResultsAreWrittenOnce: each is formatted once per version shown, and skipped if that fails.
func TestSupersededResultsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	texts, made := newRevisionTexts(), 0
	show := func(r resulttree.Result, withoutComments bool, want int) {
		t.Helper()
		for range 2 {
			text, err := texts.of(r, withoutComments, func() (resultView, error) {
				made++
				return resultView{Event: r.Event, Revision: r.Revision, CauseSince: r.Since}, nil
			})
			var v resultView
			if err != nil || json.Unmarshal(text, &v) != nil || v.Revision != r.Revision || v.Event != r.Event || v.CauseSince != r.Since {
				t.Errorf("%+v: %s, %v", r, text, err)
			}
		}
		if made != want {
			t.Errorf("%+v: %d were written, want %d", r, made, want)
		}
	}
	one := resulttree.Result{Org: "o", Event: "e", Revision: 1, InputsHash: "h"}
	failed := errors.New("failed")
	if _, err := texts.of(one, false, func() (resultView, error) { return resultView{}, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	show(one, false, 1)
	show(one, true, 2)
	for n, change := range []func(*resulttree.Result){
		func(r *resulttree.Result) { r.Org = "p" }, func(r *resulttree.Result) { r.Event = "f" }, func(r *resulttree.Result) { r.Revision = 2 },
		func(r *resulttree.Result) { r.Since = 1 }, func(r *resulttree.Result) { r.InputsHash = "i" },
	} {
		other := one
		change(&other)
		show(other, false, 3+n)
	}
}

// TestTextListsAreLists: they are written as other lists are.
func TestTextListsAreLists(t *testing.T) {
	t.Parallel()
	for _, items := range [][]string{nil, {`"a<b"`}, {`{"b":1}`, `[2]`}} {
		page := web.Page{Number: 2, Limit: 3}
		var raw []json.RawMessage
		var texts [][]byte
		for _, item := range items {
			raw, texts = append(raw, json.RawMessage(item)), append(texts, []byte(item))
		}
		want, err := web.Encode(web.NewList(raw, page, 9))
		got, failure := web.Encode(textList(web.NewList(texts, page, 9)))
		if err != nil || failure != nil || string(got) != string(want) {
			t.Errorf("%s, %v; want %s, %v", got, failure, want, err)
		}
	}
}
