package spec

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec/internal/inputs"
)

// TestInputsAreGenerated fails when the document or the client lacks what the
// record types say today.
func TestInputsAreGenerated(t *testing.T) {
	t.Parallel()
	document, err := inputs.OpenAPI(source(t))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(document, source(t)) {
		t.Errorf("libs/spec/openapi.yaml is not what the record types say; run make generate. %s", firstDifference(source(t), document))
	}
	files, err := inputs.Client()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../client/" + name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("libs/client/%s is not what the record types say; run make generate. %v %s", name, err, firstDifference(got, want))
		}
	}
}

// firstDifference shows the first line that must be another one.
func firstDifference(got, want []byte) string {
	was := strings.Split(string(got), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(was) || was[i] != line {
			return fmt.Sprintf("Line %d must be %.100s", i+1, line)
		}
	}
	return "It is longer."
}
