package footprint_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Each heading of words/headings.json is that of a field, and in no type of two.
func TestHeadingsNameOneField(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("words/headings.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string][]string
	if err := json.Unmarshal(text, &words); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, typ := range footprint.Types() {
		var schema struct {
			Properties map[string]struct {
				Headings []string `json:"x-headings"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(footprint.Schema(typ), &schema); err != nil {
			t.Fatal(err)
		}
		field := map[string]string{}
		for name := range schema.Properties {
			field[strings.ToLower(name)] = name
		}
		for name, property := range schema.Properties {
			used[name], used[typ+"."+name] = true, true
			for _, heading := range property.Headings {
				if other := field[strings.ReplaceAll(heading, " ", "")]; other != "" && other != name {
					t.Errorf("%s: %q heads %s and %s", typ, heading, name, other)
				}
				field[strings.ReplaceAll(heading, " ", "")] = name
			}
		}
	}
	for name := range words {
		if !used[name] {
			t.Errorf("words/headings.json: no type has the field %s", name)
		}
	}
}
