// Package capacity works out what a deployment of many organizations needs from what
// requests were measured to cost, and checks the arithmetic by simulating it with the
// measured distributions. The table it reads is written by TestCurve of tests/scale;
// the page it writes is docs/runbooks/ten-thousand.md. The table of the other engine is
// written by TestCurveOnMongoDB of services/standalone.
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
	Approve = "approve-to-visible"
	Results = "results"
	SignIn  = "sign-in"
)

// Point is what an operation was measured to cost in events of one size.
type Point struct {
	Operation string
	Records   int
	N         int
	// Processor is the server's processor time in µs, without that of Polls: how often
	// the result was asked for until it was there.
	Processor float64
	Polls     float64
	// Bytes is what a record takes on disk, with its indexes.
	Bytes float64
	// Quantiles of how long it took, in µs, at equal distances from the least to the most.
	Quantiles []float64
	// Commands and Documents are what was sent to MongoDB and read from it; 0 where the
	// engine is the embedded one.
	Commands, Documents int
}

// Median is how long half of them took at most, in µs.
func (p Point) Median() float64 { return p.Quantiles[len(p.Quantiles)/2] }

// Curve is the table.
type Curve []Point

// Of returns the points of an operation by size, the smallest first.
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

// At returns an operation in events of a size that was measured.
func (c Curve) At(operation string, records int) (Point, error) {
	for _, p := range c.Of(operation) {
		if p.Records == records {
			return p, nil
		}
	}
	return Point{}, fmt.Errorf("%s was not measured in events of %d records", operation, records)
}

const columns = 7

// ReadMongoDB reads the table that TestCurveOnMongoDB of services/standalone writes: what
// the services take of processors, without the database.
func ReadMongoDB(r io.Reader) (Curve, error) {
	var c Curve
	lines := bufio.NewScanner(r)
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			continue
		}
		var p Point
		if _, err := fmt.Sscanf(lines.Text(), "%s\t%d\t%d\t%f\t%d\t%d", &p.Operation, &p.Records, &p.N, &p.Processor, &p.Commands, &p.Documents); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		c = append(c, p)
	}
	return c, lines.Err()
}

// Read reads the table of the embedded engine. Readings of the result while somebody waited for it were paid
// for by who measured: they are taken off.
func Read(r io.Reader) (Curve, error) {
	var c Curve
	lines := bufio.NewScanner(r)
	for n := 0; lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != columns {
			return nil, fmt.Errorf("line %d has %d columns, want %d", n+1, len(cells), columns)
		}
		if n == 0 {
			continue
		}
		p, err := point(cells)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		c = append(c, p)
	}
	if err := lines.Err(); err != nil {
		return nil, err
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
	p.Operation = cells[0]
	numbers := make([]float64, 0, len(cells)+20)
	for _, text := range slices.Concat(cells[1:columns-1], strings.Fields(cells[columns-1])) {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return p, err
		}
		numbers = append(numbers, n)
	}
	p.Records, p.N, p.Processor, p.Polls, p.Bytes = int(numbers[0]), int(numbers[1]), numbers[2], numbers[3], numbers[4]
	if p.Quantiles = numbers[5:]; len(p.Quantiles) < 2 || !slices.IsSorted(p.Quantiles) {
		return p, errors.New("the quantiles do not rise")
	}
	return p, nil
}
