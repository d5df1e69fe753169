package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/tests/expected"
)

// Example is an event with its records and the expected result.
type Example struct {
	Event    client.EventInput
	Inputs   []Input
	Expected expected.Table
}

// Input is the body of a record.
type Input struct {
	Type      string
	Reference string // externalReference, unique in the event and type
	Body      json.RawMessage
}

// exampleFolder is the path of the example in the repository.
const exampleFolder = "examples/london-conference"

// FindExample searches for the folder of the example in a directory and its parents.
func FindExample(directory string) (string, error) {
	directory, err := filepath.Abs(directory)
	if err != nil {
		return "", err
	}
	for at := directory; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, exampleFolder)
		if _, err := os.Stat(filepath.Join(folder, "event.json")); err == nil {
			return folder, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no folder %s in %s or above it", exampleFolder, directory)
		}
	}
}

// LoadExample reads an example from its folder.
func LoadExample(folder string) (*Example, error) {
	event, err := os.ReadFile(filepath.Join(folder, "event.json"))
	if err != nil {
		return nil, err
	}
	ex := &Example{}
	decoder := json.NewDecoder(bytes.NewReader(event))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&ex.Event); err != nil {
		return nil, fmt.Errorf("event.json: %w", err)
	}
	for _, kind := range []string{"flights", "accommodation", "venue", "waste"} {
		text, err := os.ReadFile(filepath.Join(folder, kind+".json"))
		if err != nil {
			return nil, err
		}
		var bodies []json.RawMessage
		if err := json.Unmarshal(text, &bodies); err != nil {
			return nil, fmt.Errorf("%s.json: %w", kind, err)
		}
		for _, body := range bodies {
			var record struct {
				Reference string `json:"externalReference"`
			}
			if err := json.Unmarshal(body, &record); err != nil {
				return nil, fmt.Errorf("%s.json: %w", kind, err)
			}
			if record.Reference == "" {
				return nil, fmt.Errorf("%s.json: a record has no externalReference", kind)
			}
			ex.Inputs = append(ex.Inputs, Input{kind, record.Reference, body})
		}
	}
	ex.Expected, err = expected.Read(filepath.Join(folder, "expected.csv"))
	return ex, err
}
