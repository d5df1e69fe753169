// Command recordtypes updates the OpenAPI document and the Go client from
// the record types. It runs in libs/spec.
package main

import (
	"log"
	"os"

	"github.com/eventcarbon/ecf/libs/spec/internal/inputs"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err) //nolint:forbidigo // a command of the developer's
	}
}

func run() error {
	const document = "openapi.yaml"
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	if text, err = inputs.OpenAPI(text); err != nil {
		return err
	}
	if err := os.WriteFile(document, text, 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	files, err := inputs.Client()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile("../client/"+name, text, 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}
