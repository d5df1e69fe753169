package main

import (
	"bytes"
	"os"
	"testing"
)

// TestServedFilesAreCurrent: what is served is made from the document as it is
// now. `make generate` makes it.
func TestServedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, reference, err := made(source)
	if err != nil {
		t.Fatal(err)
	}
	source, err = os.ReadFile("../../../../docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	methodology, err := renderChapters("Methodology", source)
	if err != nil {
		t.Fatal(err)
	}
	const pages = "../../../../services/gateway/docs/"
	for path, want := range map[string][]byte{
		"../../openapi.json": document, pages + "reference.html": reference, pages + "methodology.html": methodology,
	} {
		got, err := os.ReadFile(path) //nolint:gosec // one of those above
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` makes", path)
		}
	}
}
