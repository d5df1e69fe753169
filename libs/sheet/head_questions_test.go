package sheet_test

import (
	"bytes"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestQuestionsOfSurveys: the columns of a form's answers are headed by its questions.
func TestQuestionsOfSurveys(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"in English": {"attendee-travel/origins", "Timestamp,What city will you travel from?,Which country do you live in?,How will you travel to the event?,How many people are in your party?,How far do you travel?,Where did you hear about us?\n2026-04-01,Leeds,UK,Train,2,300,LinkedIn\n",
			[]string{`2 {"place":"Leeds","country":"GB","mode":"rail","people":2}`}},
		"in German": {"attendee-travel/origins", "Zeitstempel;Woher reisen Sie an?;Wie reisen Sie an?;Mit wie vielen Personen reisen Sie?;Wie zufrieden waren Sie mit der Anreise?\n01.04.2026;Köln;Zug;2;5\n01.04.2026;Bonn;PKW;;\n01.04.2026;Ulm;online;;\n",
			[]string{`2 {"place":"Köln","mode":"rail","people":2}`, `3 {"place":"Bonn","mode":"car"}`, "4 Wie reisen Sie an? ROW_NOT_COUNTED"}},
		"by the name of a field": {"attendee-travel/origins", "Ort,Aus welcher Stadt reisen Sie an?,Mode\nKöln,Bonn,Fernbus\n", []string{`2 {"place":"Köln","mode":"coach"}`}},
	})
	var only bytes.Buffer
	if _, err := sheet.KeepColumns(&only, from("Name,Where do you come from?,Mode\nAnn,Ulm,Bahn\nBob,Ulm,online\n"), footprint.OriginRows, sheet.Options{Rules: sheet.Rules}); err != nil || only.String() != "Where do you come from?,Mode\r\nUlm,Bahn\r\nUlm,online\r\n" {
		t.Errorf("kept %q, %v", only.String(), err)
	}
}
