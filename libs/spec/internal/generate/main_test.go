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
	for path, want := range map[string][]byte{"../../openapi.json": document, "../../../../services/gateway/docs/reference.html": reference} {
		got, err := os.ReadFile(path) //nolint:gosec // one of the two above
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` makes", path)
		}
	}
}
