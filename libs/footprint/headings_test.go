package footprint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Each heading of words/headings.json is that of a field, and in each type of only one.
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
	var rows struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(footprint.OriginSchema(), &rows); err != nil {
		t.Fatal(err)
	}
	for name := range rows.Properties {
		used[footprint.OriginRows+"."+name] = true
	}
	for name := range words {
		if !used[name] {
			t.Errorf("words/headings.json: no type has the field %s", name)
		}
	}
}

// Each synonym is unambiguous: it is no other value or the German name of one.
func TestSynonymsStandForOneValue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("words/synonyms.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]map[string]string
	if err := json.Unmarshal(text, &words); err != nil {
		t.Fatal(err)
	}
	offered := map[string]bool{}
	for _, typ := range append(footprint.Types(), footprint.OriginRows) {
		var schema struct {
			Properties map[string]struct {
				Type     any               `json:"type"`
				Enum     []any             `json:"enum"`
				Labels   map[string]string `json:"x-labels"`
				Synonyms map[string]string `json:"x-synonyms"`
			} `json:"properties"`
		}
		text := footprint.SchemaIn(typ, "de")
		if typ == footprint.OriginRows {
			text = footprint.OriginSchemaIn("de")
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for name, property := range schema.Properties {
			if len(property.Synonyms) > 0 {
				offered[typ+"."+name], offered[name] = true, true
			}
			for word, value := range property.Synonyms {
				if truth := property.Type == "boolean" && (value == "true" || value == "false"); !truth && !slices.Contains(property.Enum, any(value)) {
					t.Errorf("%s.%s: %q stands for %s, which is none of its values", typ, name, word, value)
				}
				for _, other := range property.Enum {
					if label := property.Labels[fmt.Sprint(other)]; other != value && (strings.EqualFold(label, word) || other == strings.ReplaceAll(word, " ", "_")) {
						t.Errorf("%s.%s: %q stands for %s, and is what %s is called", typ, name, word, value, other)
					}
				}
			}
		}
	}
	for field := range words {
		if !offered[field] {
			t.Errorf("words/synonyms.json: no type has the field %s", field)
		}
	}
}
