package expected

import (
	"bytes"
	_ "embed" // assignments.csv
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
)

//go:embed assignments.csv
var assignmentsFile []byte

// assignment is a person's decision which published figure applies to a record and what
// it is multiplied by.
type assignment struct {
	record, formula, unit, factorID string
	stages, scopes                  []string // of the figure itself, and of its well-to-tank part if that is added
}

// supplied marks a figure that came with the record.
const supplied = "supplied"

// wttSuffix marks the line of the well-to-tank part of a figure.
const wttSuffix = " (WTT)"

func readAssignments() ([]assignment, error) {
	rows, err := csv.NewReader(bytes.NewReader(assignmentsFile)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("assignments.csv: %w", err)
	}
	var out []assignment
	for _, r := range rows[1:] {
		a := assignment{r[0], r[1], r[2], r[3], strings.Split(r[4], "+"), strings.Split(r[5], "+")}
		if len(a.stages) != len(a.scopes) || len(a.stages) > 2 {
			return nil, fmt.Errorf("assignments.csv: %s: must have one or two stages, and as many scopes", a.record)
		}
		out = append(out, a)
	}
	return out, nil
}

// example is a record of the example event.
type example struct {
	kind   string
	fields fields
}

func readExample(folder string) ([]example, error) {
	var out []example
	for _, kind := range []string{"flights", "accommodation", "venue", "waste"} {
		text, err := os.ReadFile(filepath.Join(folder, kind+".json"))
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var records []fields
		if err := decoder.Decode(&records); err != nil {
			return nil, fmt.Errorf("%s.json: %w", kind, err)
		}
		for _, record := range records {
			out = append(out, example{kind, record})
		}
	}
	return out, nil
}

// Calculate calculates the table of an event from the files of its records and the
// folder of published tables. Records and assignments must correspond one to one.
func Calculate(exampleFolder, sourceFolder string) (Table, error) {
	tables, err := readPublished(sourceFolder)
	if err != nil {
		return nil, err
	}
	records, err := readExample(exampleFolder)
	if err != nil {
		return nil, err
	}
	assignments, err := readAssignments()
	if err != nil {
		return nil, err
	}
	var out Table
	used := 0
	for _, record := range records {
		before := len(out)
		for _, a := range assignments {
			if a.record != record.fields["externalReference"] {
				continue
			}
			used++
			if out, err = tables.lines(out, record, a); err != nil {
				return nil, fmt.Errorf("%s: %w", a.record, err)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("%v has no assignment", record.fields["externalReference"])
		}
	}
	if used != len(assignments) {
		return nil, fmt.Errorf("%d of %d assignments belong to exactly one record", used, len(assignments))
	}
	return out, nil
}

// lines adds the line of a figure and, if assigned, of its well-to-tank part.
func (p *published) lines(out Table, record example, a assignment) (Table, error) {
	quantity, err := p.quantity(a.formula, record.fields)
	if err != nil {
		return nil, err
	}
	f, err := p.factorOf(record, a)
	if err != nil {
		return nil, err
	}
	if f.unit != a.unit {
		return nil, fmt.Errorf("%s is per %s, not per %s", a.factorID, f.unit, a.unit)
	}
	// A published well-to-tank part that is not assigned would be omitted.
	if (f.wtt != "") != (len(a.stages) == 2) {
		return nil, fmt.Errorf("%s has the well-to-tank part %q", a.factorID, f.wtt)
	}
	for i, stage := range a.stages {
		row := Row{Record: a.record, Type: record.kind, Formula: a.formula, Quantity: decimals(quantity), Unit: a.unit,
			FactorID: a.factorID, PerUnit: f.perUnit, Stage: stage, Scope: a.scopes[i]}
		if i == 1 {
			row.FactorID, row.PerUnit = a.factorID+wttSuffix, f.wtt
		}
		figure, err := rational(row.PerUnit)
		if err != nil {
			return nil, err
		}
		if row.Kg, err = roundKg(new(big.Rat).Mul(quantity, figure)); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func (p *published) factorOf(record example, a assignment) (factor, error) {
	if a.factorID == supplied {
		figure, err := record.fields.number("kgCO2ePerRoomNight")
		if err != nil {
			return factor{}, err
		}
		return factor{perUnit: decimals(figure), unit: "room_night"}, nil
	}
	f, ok := p.factors[a.factorID]
	if !ok || f.perUnit == "" {
		return factor{}, fmt.Errorf("no verified figure %s", a.factorID)
	}
	return f, nil
}
