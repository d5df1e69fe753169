package footprint_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// unnamed are lists whose values are the same in every language.
var unnamed = map[string]bool{"numberFormat": true, "sheetSize": true, "scope": true, "refrigerant": true}

// Every field and every value of every type is translated into every language: a new one without translations fails
// here.
func TestEveryFieldIsTranslated(t *testing.T) {
	for _, language := range footprint.Languages()[1:] {
		for _, typ := range footprint.Types() {
			var own schema
			if err := decodeNumbers(footprint.SchemaIn(typ, language), &own); err != nil {
				t.Fatal(typ, err)
			}
			if footprint.DescriptionIn(typ, language) == footprint.Description(typ) || footprint.FormulaIn(typ, language) == footprint.Formula(typ) {
				t.Errorf("%s has no description or no formula in %s", typ, language)
			}
			english := properties(t, typ, schemaOf(t, typ))
			for name, p := range properties(t, typ, own) {
				translatedField(t, language+" "+typ+"."+name, name, p, english[name])
			}
		}
	}
}

func properties(t *testing.T, typ string, s schema) map[string]schema {
	t.Helper()
	all, _ := s["properties"].(map[string]any)
	if len(all) == 0 {
		t.Fatal(typ, "has no properties")
	}
	out := map[string]schema{}
	for name, p := range all {
		out[name], _ = p.(map[string]any)
	}
	return out
}

func translatedField(t *testing.T, where, name string, p, english schema) {
	t.Helper()
	if p["description"] == english["description"] {
		t.Errorf("%s: no description", where)
	}
	labels, _ := p["x-labels"].(map[string]any)
	values, _ := p["enum"].([]any)
	for _, v := range values {
		if word, ok := v.(string); ok && !unnamed[name] && labels[word] == nil {
			t.Errorf("%s: no word for %s", where, word)
		}
	}
	if name != "drinks" && name != "servings" {
		return
	}
	ofEnglish, _ := english["properties"].(map[string]any)
	parts, _ := p["properties"].(map[string]any)
	for part, s := range parts {
		if s, _ := s.(map[string]any); s["title"] == nil || s["title"] == "" {
			t.Errorf("%s.%s: no title", where, part)
		}
	}
	if len(parts) == 0 || len(parts) != len(ofEnglish) {
		t.Errorf("%s: %d parts of %d", where, len(parts), len(ofEnglish))
	}
}

// Languages differ only in texts: requirements and values are the same, and the English schema is not modified by
// translating it.
func TestTranslationsChangeWordsOnly(t *testing.T) {
	for _, typ := range footprint.Types() {
		before := schemaOf(t, typ)
		var own schema
		if err := decodeNumbers(footprint.SchemaIn(typ, "de"), &own); err != nil {
			t.Fatal(typ, err)
		}
		if err := sameButWords(typ, before, own); err != "" {
			t.Error(err)
		}
		if string(footprint.SchemaIn(typ, "fr")) != string(footprint.Schema(typ)) {
			t.Errorf("%s in a language that is not held is not in English", typ)
		}
	}
}

// sameButWords returns the first place where two schemas differ in more than texts.
func sameButWords(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path
		}
		for name := range b {
			if _, had := a[name]; !had && name != "x-labels" {
				return path + "." + name + " is new"
			}
		}
		for name, value := range a {
			if _, isText := value.(string); isText && (name == "title" || name == "description") {
				continue
			}
			if where := sameButWords(path+"."+name, value, b[name]); where != "" {
				return where
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path
		}
		for i := range a {
			if where := sameButWords(path+"[]", a[i], b[i]); where != "" {
				return where
			}
		}
	default:
		if a != b {
			return path
		}
	}
	return ""
}
