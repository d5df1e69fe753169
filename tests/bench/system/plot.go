package system

import (
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
)

// Row is the measurement of one work and one baseline, alternately.
type Row struct {
	Work, Beside string
	// Rates per second, medians of the rounds; and the median of their ratios.
	Rate, BesideRate, Ratio float64
	// Goal is the target of the ratio; 0 if there is none.
	Goal float64
	// Latencies at half of the rate, or at latencyRate if that is less, measured
	// open-loop.
	P50, P99 time.Duration
}

// Titles are the titles of the stored tables, by the names of their files in
// docs/benchmarks.
var Titles = map[string]string{
	"system":     "One process with embedded engines, beside the least that does the same",
	"pocketbase": "One process with embedded engines, beside PocketBase " + pocketbaseVersion,
	"separate":   "Each service a process, on MongoDB, beside the driver alone",
	"queue":      "A notification on Redis from the request to the worker, beside asynq alone",
	"hop":        "One hop of 4.7 kB, beside fasthttp passing requests on",
}

// pocketbaseVersion is built with its own module's dependencies, apart from the
// product. It is the newest version that the Go of go.work can build.
const pocketbaseVersion = "v0.36.8"

const tableHead = "work\tbeside\ta second\tof that a second\tratio\tgoal\tp50 µs\tp99 µs\n"

// Table formats rows as tab-separated values.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, r := range rows {
		fmt.Fprintf(&b, "%s\t%s\t%.0f\t%.0f\t%.3f\t%g\t%d\t%d\n", r.Work, r.Beside, r.Rate, r.BesideRate, r.Ratio, r.Goal, r.P50.Microseconds(), r.P99.Microseconds())
	}
	return b.String()
}

// remark begins a comment line of a table.
const remark = "# "

// Remark returns a line that Read skips.
func Remark(text string) string { return remark + text + "\n" }

// Read parses what Table has written, skipping remarks.
func Read(table string) ([]Row, error) {
	for strings.HasPrefix(table, remark) {
		_, table, _ = strings.Cut(table, "\n")
	}
	body, ok := strings.CutPrefix(table, tableHead)
	if !ok {
		return nil, errors.New("this is no table of rows")
	}
	var rows []Row
	for line := range strings.Lines(body) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 8 {
			return nil, fmt.Errorf("%q has %d cells", line, len(cells))
		}
		var numbers [6]float64
		for i := range numbers {
			var err error
			if numbers[i], err = strconv.ParseFloat(cells[2+i], 64); err != nil {
				return nil, err
			}
		}
		rows = append(rows, Row{Work: cells[0], Beside: cells[1], Rate: numbers[0], BesideRate: numbers[1], Ratio: numbers[2], Goal: numbers[3],
			P50: time.Duration(numbers[4]) * time.Microsecond, P99: time.Duration(numbers[5]) * time.Microsecond})
	}
	return rows, nil
}

// The plot, in its own units.
const (
	plotWidth = 760
	plotNames = 400
	plotRow   = 40
	plotTop   = 56
)

// Plot draws the ratios of rows as bars, with a line at the goal, as SVG.
func Plot(title string, rows []Row) string {
	most := 1.0
	for _, r := range rows {
		most = max(most, r.Ratio, r.Goal)
	}
	wide := func(ratio float64) float64 { return ratio / most * (plotWidth - plotNames - 60) }
	height := plotTop + plotRow*len(rows) + 10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" role="img" aria-label="%s">`+"\n", plotWidth, height, html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/><text x="8" y="20" font-weight="bold">%s</text>`+"\n", plotWidth, height, html.EscapeString(title))
	// At the left edge: there is no room for it next to the names.
	fmt.Fprint(&b, `<text x="8" y="42" fill="#555">how many a second ÷ that of the baseline; a line is the goal</text>`+"\n")
	for i, r := range rows {
		y := plotTop + plotRow*i
		fmt.Fprintf(&b, `<text x="8" y="%d">%s</text><text x="8" y="%d" font-size="11" fill="#555">of %s</text>`+"\n", y+14, html.EscapeString(r.Work), y+28, html.EscapeString(r.Beside))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="18" fill="#0b6e99"/><text x="%.1f" y="%d">%.2f</text>`+"\n", plotNames, y+4, wide(r.Ratio), plotNames+max(wide(r.Ratio), wide(r.Goal))+8, y+18, r.Ratio)
		if r.Goal > 0 {
			fmt.Fprintf(&b, `<path d="M%.1f %dv26" stroke="#a04000" stroke-width="2"/>`+"\n", plotNames+wide(r.Goal), y)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
