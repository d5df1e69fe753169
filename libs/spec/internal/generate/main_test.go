package main

import (
	"bytes"
	"html/template"
	"os"
	"reflect"
	"testing"
)

// TestServedFilesAreCurrent: the served files are those that `make generate` generates from the document and the
// texts.
func TestServedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := generated("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(path) //nolint:gosec // one of those that are made
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` makes", path)
		}
	}
}

// TestLinked: a link to a file of the repository leads to its page, where it has
// one, and names the file otherwise.
func TestLinked(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		`<a href="report-bundles.md#hashes">hashes</a>`:  `<a href="/report-bundles#hashes">hashes</a>`,
		`<a href="docs/factor-packs.md">packs</a>`:       `<a href="/factor-packs">packs</a>`,
		`<a href="docs/runbooks/mongodb.md">Runbook</a>`: `Runbook (<code>docs/runbooks/mongodb.md</code>)`,
		`<a href="https://semver.org">versions</a>`:      `<a href="https://semver.org">versions</a>`,
		`<a href="#limits">limits</a>`:                   `<a href="#limits">limits</a>`,
		`<a href="/api/v2/docs">the <em>API</em></a>`:    `<a href="/api/v2/docs">the <em>API</em></a>`,
	} {
		if got := string(linked(template.HTML(from))); got != want { //nolint:gosec // above
			t.Errorf("%s became %s, want %s", from, got, want)
		}
	}
}

// TestContents: the contents of a text are its chapters, and below each its sections.
func TestContents(t *testing.T) {
	t.Parallel()
	body, err := html("# Text\n\n### Before\n\n## One\n\n### First\n\n#### Detail\n\n### Second\n\n## Two\n\n### Output of `ecf` & more\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []chapter{
		{Anchor: "before", Title: "Before"},
		{Anchor: "one", Title: "One", Sections: []chapter{{Anchor: "first", Title: "First"}, {Anchor: "second", Title: "Second"}}},
		{Anchor: "two", Title: "Two", Sections: []chapter{{Anchor: "output-of-ecf--more", Title: "Output of ecf & more"}}},
	}
	if got := chaptersOf(body); !reflect.DeepEqual(got, want) {
		t.Errorf("contents %+v, want %+v", got, want)
	}
}
