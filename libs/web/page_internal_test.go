package web

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestListsAreEncodedByItem: a list has the bytes that encoding/json writes, without a copy of the whole on the way.
func TestListsAreEncodedByItem(t *testing.T) {
	t.Parallel()
	for _, items := range [][]any{{}, {1}, {"<a> & \u2028", nil, map[string]any{"b": []int{1}}, json.RawMessage(`{"c": "<" }`)}, {strings.Repeat("x", 9000), 1, strings.Repeat("y", 90000)}} {
		list := NewList(items, Page{Number: 2, Limit: 25}, 77)
		got, err := Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		want, err := encode(success{Success: true, Data: list})
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
	if _, err := Encode(NewList([]any{1, broken{}}, Page{Number: 1, Limit: 25}, 2)); err == nil {
		t.Error("an item that cannot be encoded is left out")
	}
}

// TestAListInsideIsNotTheWhole: a struct that embeds a list is encoded with all its members.
func TestAListInsideIsNotTheWhole(t *testing.T) {
	t.Parallel()
	body, err := Encode(struct {
		Name string `json:"name"`
		List[int]
	}{"set", NewList([]int{7}, Page{Number: 1, Limit: 25}, 1)})
	if want := `{"success":true,"data":{"name":"set","items":[7],"pagination":{"page":1,"limit":25,"total":1,"totalPages":1}}}`; err != nil || string(body) != want {
		t.Errorf("%s, %v, want %s", body, err, want)
	}
}

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { return nil, errors.New("broken") }
