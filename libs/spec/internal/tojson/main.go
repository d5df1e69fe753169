// Tojson writes openapi.json from openapi.yaml, so that programs need no reader
// of YAML. Members keep their order.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"

	"github.com/goccy/go-yaml"
)

func main() {
	log.SetFlags(0)
	if err := run("openapi.yaml", "openapi.json"); err != nil {
		log.Fatal(err)
	}
}

func run(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	document, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	// Indented, so that a change of the document is a small change of the file.
	if err := json.Indent(&b, document, "", " "); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o644) //nolint:gosec // it is published
}
