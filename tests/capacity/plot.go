package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The plot, in its own units.
const (
	width, height            = 760, 420
	left, right, top, bottom = 70, 150, 30, 50
)

// drawn are the operations in the plot, each with its colour.
var drawn = []struct{ operation, colour string }{
	{List, "#0b6e99"}, {Create, "#1f7a3d"}, {Approve, "#a04000"}, {Results, "#5b3f9e"},
}

// Plot draws CPU time by size, both axes logarithmic, as SVG.
func Plot(c Curve) string {
	low, high := math.Inf(1), math.Inf(-1)
	var sizes []int
	for _, d := range drawn {
		for _, p := range c.Of(d.operation) {
			low, high = min(low, math.Floor(log(p.Processor))), max(high, math.Ceil(log(p.Processor)))
		}
	}
	for _, p := range c.Of(List) {
		sizes = append(sizes, p.Records)
	}
	first, last := log(float64(sizes[0])), log(float64(sizes[len(sizes)-1]))
	x := func(records int) float64 {
		return left + (log(float64(records))-first)/max(last-first, 1)*(width-left-right)
	}
	y := func(processor float64) float64 {
		return top + (high-log(processor))/max(high-low, 1)*(height-top-bottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" role="img" aria-label="Processor time of requests by the size of their event">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for power := low; power <= high; power++ {
		at := y(math.Pow(10, power))
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, at, width-right, left-8, at+4, duration(math.Pow(10, power)))
	}
	for _, size := range sizes {
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x(size), top, height-bottom, x(size), height-bottom+20, thousands(size))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">records of the event</text>`+"\n", (left+width-right)/2, height-8)
	fmt.Fprintf(&b, `<text x="%d" y="18">processor time of the server for one</text>`+"\n", 8)
	type name struct {
		y    float64
		text string
	}
	var names []name
	for _, d := range drawn {
		points := c.Of(d.operation)
		path := make([]string, len(points))
		for i, p := range points {
			path[i] = fmt.Sprintf("%.1f %.1f", x(p.Records), y(p.Processor))
		}
		fmt.Fprintf(&b, `<path d="M%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, "L"), d.colour)
		for _, p := range points {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x(p.Records), y(p.Processor), d.colour)
		}
		end := points[len(points)-1]
		names = append(names, name{y(end.Processor) + 4, fmt.Sprintf(`fill="%s">%s`, d.colour, d.operation)})
	}
	// Each name at the end of its line, without overlaps.
	slices.SortFunc(names, func(a, b name) int { return cmp.Compare(a.y, b.y) })
	for i, n := range names {
		if i > 0 {
			n.y = max(n.y, names[i-1].y+16)
			names[i] = n
		}
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" %s</text>`+"\n", width-right+9, n.y, n.text)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// log returns the logarithm to base 10; values below a microsecond count as one.
func log(n float64) float64 { return math.Log10(max(n, 1)) }

// duration formats microseconds.
func duration(us float64) string {
	switch {
	case us >= 1e6:
		return figure(us/1e6) + " s"
	case us >= 1e3:
		return figure(us/1e3) + " ms"
	}
	return figure(us) + " µs"
}

// figure formats a number with three significant digits.
func figure(n float64) string {
	switch {
	case n >= 1000:
		digits := math.Pow(10, math.Floor(math.Log10(n))-2)
		return thousands(int(math.Round(n/digits) * digits))
	case n >= 100 || n == math.Trunc(n):
		return fmt.Sprintf("%.0f", n)
	case n >= 10:
		return fmt.Sprintf("%.1f", n)
	case n >= 0.1:
		return fmt.Sprintf("%.2f", n)
	}
	return fmt.Sprintf("%.2g", n)
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
