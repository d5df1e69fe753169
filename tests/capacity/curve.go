// Package capacity calculates what a deployment with many organizations needs, from the
// measured cost of requests and size of records, and checks the formulas with a
// simulation that uses the measured distributions. The tables it reads are written by
// TestCurve of tests/scale, and by TestCurveOnMongoDB and TestStoredBytes of
// services/standalone; the page it writes is docs/runbooks/ten-thousand.md.
package capacity

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Operations of the table.
const (
	List    = "list"
	Create  = "create"
	Submit  = "submit"
	Approve = "approve-to-visible"
	Results = "results"
	SignIn  = "sign-in"
)

// Point is the measured cost of an operation in events of one size.
type Point struct {
	Operation string
	Records   int
	N         int
	// Processor is the server's CPU time in µs, without that of Polls, the number of
	// times the result was polled until it was current.
	Processor float64
	Polls     float64
	// Quantiles of the latency in µs, equally spaced from the minimum to the maximum.
	Quantiles []float64
	// Commands and Documents are the numbers sent to and read from MongoDB; 0 for the
	// embedded engine.
	Commands, Documents int
}

// Median returns the median latency, in µs.
func (p Point) Median() float64 { return p.Quantiles[len(p.Quantiles)/2] }

// Curve is the table.
type Curve []Point

// Of returns the points of an operation, sorted by size.
func (c Curve) Of(operation string) []Point {
	var points []Point
	for _, p := range c {
		if p.Operation == operation {
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return a.Records - b.Records })
	return points
}

// At returns the point of an operation in events of a size that was measured.
func (c Curve) At(operation string, records int) (Point, error) {
	for _, p := range c.Of(operation) {
		if p.Records == records {
			return p, nil
		}
	}
	return Point{}, fmt.Errorf("%s was not measured in events of %d records", operation, records)
}

// lines returns the numbered lines of a table without its heading and its comments
// ("#").
func lines(r io.Reader) (rows []line, err error) {
	all := bufio.NewScanner(r)
	for n := 1; all.Scan(); n++ {
		if !strings.HasPrefix(all.Text(), "#") {
			rows = append(rows, line{n, strings.Split(all.Text(), "\t")})
		}
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, errors.New("the table is empty")
	}
	for _, row := range rows {
		if is, want := len(row.cells), len(rows[0].cells); is != want {
			return nil, fmt.Errorf("line %d has %d columns, want %d", row.number, is, want)
		}
	}
	return rows[1:], nil
}

// line is one line of a table.
type line struct {
	number int
	cells  []string
}

// numbers returns cells as numbers.
func numbers(cells []string) (all []float64, err error) {
	for _, text := range cells {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

const columns, columnsMongoDB = 6, 6

// ReadMongoDB reads the table that TestCurveOnMongoDB of services/standalone writes:
// the CPU time of the services, without the database.
func ReadMongoDB(r io.Reader) (Curve, error) {
	rows, err := lines(r)
	if err != nil {
		return nil, err
	}
	var c Curve
	for _, row := range rows {
		if len(row.cells) != columnsMongoDB {
			return nil, fmt.Errorf("line %d has %d columns, want %d", row.number, len(row.cells), columnsMongoDB)
		}
		n, err := numbers(row.cells[1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", row.number, err)
		}
		c = append(c, Point{Operation: row.cells[0], Records: int(n[0]), N: int(n[1]), Processor: n[2], Commands: int(n[3]), Documents: int(n[4])})
	}
	return c, nil
}

// Commands returns the largest number of commands of an operation in an event of any
// size.
func (c Curve) Commands(operation string) (float64, error) {
	most := 0
	for _, p := range c.Of(operation) {
		most = max(most, p.Commands)
	}
	if most == 0 {
		return 0, fmt.Errorf("the commands of %s were not counted", operation)
	}
	return float64(most), nil
}

// Read reads the table of the embedded engine and subtracts the polls of the result,
// which were made by the measurement.
func Read(r io.Reader) (Curve, error) {
	rows, err := lines(r)
	if err != nil {
		return nil, err
	}
	var c Curve
	for _, row := range rows {
		p, err := point(row.cells)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", row.number, err)
		}
		c = append(c, p)
	}
	for i, p := range c {
		if p.Polls == 0 {
			continue
		}
		asked, err := c.At(Results, p.Records)
		if err != nil {
			return nil, err
		}
		c[i].Processor = max(p.Processor-p.Polls*asked.Processor, 0)
	}
	return c, nil
}

func point(cells []string) (p Point, err error) {
	if len(cells) != columns {
		return p, fmt.Errorf("%d columns, want %d", len(cells), columns)
	}
	n, err := numbers(cells[1 : columns-1])
	if err != nil {
		return p, err
	}
	p = Point{Operation: cells[0], Records: int(n[0]), N: int(n[1]), Processor: n[2], Polls: n[3]}
	if p.Quantiles, err = numbers(strings.Fields(cells[columns-1])); err != nil {
		return p, err
	}
	if len(p.Quantiles) < 2 || !slices.IsSorted(p.Quantiles) {
		return p, errors.New("the quantiles do not rise")
	}
	return p, nil
}
