package report

import (
	"bytes"

	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// Legible is legible, for tests.
var Legible = legible

// Texts returns the texts of a language by the English ones.
func Texts(tag string) (map[string]string, error) {
	l, err := languageOf(tag)
	return l.Texts, err
}

// listened returns a language that tells which texts are looked up.
func listened(tag string, lookedUp func(text string, found bool)) (*language, error) {
	l, err := languageOf(tag)
	if err != nil {
		return nil, err
	}
	own := *l
	own.lookedUp = lookedUp
	return &own, nil
}

// PageTelling writes a page, and tells which texts were looked up for it.
func PageTelling(d Data, tag string, lookedUp func(text string, found bool)) (string, error) {
	l, err := listened(tag, lookedUp)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = l.write(&out, d)
	return out.String(), err
}

// TablesTelling names the tables of standards, and tells which texts were looked up for it.
func TablesTelling(all []tables.Table, tag string, lookedUp func(text string, found bool)) error {
	l, err := listened(tag, lookedUp)
	if err != nil {
		return err
	}
	for _, t := range all {
		l.text(t.Title)
		l.text(t.Note)
		for _, r := range t.Rows {
			l.tableRow(r.Name)
		}
	}
	return nil
}

// Country returns the name of a country or region in a language.
func Country(tag, code string) (string, error) {
	l, err := languageOf(tag)
	if err != nil {
		return "", err
	}
	return l.country(code), nil
}
