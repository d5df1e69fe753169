package report

import (
	"io"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// phrase is a text of a page. Where the page is in another language, what is quoted in English is
// marked as such.
type phrase struct {
	text   string
	quoted bool
}

// Render writes the text.
func (p phrase) Render(w io.Writer) error {
	if p.quoted {
		return h.Span(h.Lang("en"), g.Text(p.text)).Render(w)
	}
	return g.Text(p.text).Render(w)
}

// table is a table of the page.
type table struct {
	caption  string
	headings []string
	// texts is the number of the leading columns that have texts; the others have figures, aligned to the right.
	texts      int
	rows, foot [][]string
}

// figures is a table whose first column alone has texts.
func figures(caption string, headings []string, rows, foot [][]string) g.Node {
	return table{caption: caption, headings: headings, texts: 1, rows: rows, foot: foot}.node()
}

func (t table) node() g.Node {
	heading := func(i int, text string) g.Node { return h.Th(g.Attr("scope", "col"), t.aligned(i), g.Text(text)) }
	cell := func(i int, text string) g.Node { return h.Td(t.aligned(i), g.Text(text)) }
	rows := func(rows [][]string, cell func(int, string) g.Node) g.Group {
		return g.Map(rows, func(row []string) g.Node { return h.Tr(numbered(row, cell), g.Raw("\n")) })
	}
	return h.Table(
		g.If(t.caption != "", h.Caption(g.Text(t.caption))),
		h.THead(rows([][]string{t.headings}, heading)),
		h.TBody(rows(t.rows, cell)),
		g.If(t.foot != nil, h.TFoot(rows(t.foot, cell))),
	)
}

// aligned is the class of the cells of a column.
func (t table) aligned(column int) g.Node { return g.If(column >= t.texts, h.Class("n")) }

// framed is what can be wider than a telephone, with what it is called.
func framed(name string, content g.Node) g.Node {
	return h.Div(h.Class("frame"), h.TabIndex("0"), h.Role("group"), h.Aria("label", name), content)
}

// facts is a list of names with values.
func facts(all []fact, value func(string) g.Node) g.Node {
	return h.Dl(h.Class("facts"), g.Map(all, func(f fact) g.Node {
		return g.Group{h.Dt(g.Text(f.Name)), h.Dd(value(f.Value))}
	}))
}

func code(text string) g.Node { return h.Code(g.Text(text)) }

// noted is a paragraph in small type.
func noted(content ...g.Node) g.Node { return h.P(h.Class("note"), g.Group(content)) }

// section is a part of the page with a heading.
func section(heading string, content ...g.Node) g.Node {
	return h.Section(h.H2(g.Text(heading)), g.Group(content), g.Raw("\n"))
}

// items is a list of points.
func items[T any](all []T, item func(T) g.Node) g.Node {
	return h.Ul(g.Map(all, func(of T) g.Node { return h.Li(item(of)) }))
}

// numbered maps with positions.
func numbered[T any](all []T, node func(int, T) g.Node) g.Group {
	out := make(g.Group, len(all))
	for i, of := range all {
		out[i] = node(i, of)
	}
	return out
}

// joined puts commas between nodes.
func joined[T any](all []T, node func(T) g.Node) g.Group {
	return numbered(all, func(i int, of T) g.Node { return g.Group{g.If(i > 0, g.Text(", ")), node(of)} })
}

// barsNode is a chart of bars, with an axis below them.
func (l *language) barsNode(c barChart) g.Node {
	if len(c.Bars) == 0 {
		return nil
	}
	row := func(class, name string, content ...g.Node) g.Node {
		return h.Div(h.Class(class), h.Span(h.Class("name"), g.Text(name)), g.Group(content), g.Raw("\n"))
	}
	return h.Div(h.Class("bars"), h.Role("img"), h.Aria("label", l.text("Bar chart of the figures in the table")),
		g.Map(c.Bars, func(b bar) g.Node {
			return row("row", b.Label,
				h.SVG(
					g.Map(c.Ticks, func(t tick) g.Node { return line("grid", t.X, t.X, "0", "100%") }),
					rectangle("bar", "0", "6", b.W, "18", g.El("title", g.Text(l.text("%s: %s, between %s and %s kg", b.Label, b.Value, b.Low, b.High)))),
					line("whisker", b.LowX, b.HighX, "15", "15"), line("whisker", b.LowX, b.LowX, "10", "20"), line("whisker", b.HighX, b.HighX, "10", "20"),
				),
				h.Span(h.Class("value"), g.Text(b.Value)))
		}),
		row("row axis", c.Unit, h.SVG(numbered(c.Ticks, func(i int, t tick) g.Node {
			return g.El("text", g.Attr("x", t.X), g.Attr("y", "14"), g.If(i > 0, g.Attr("text-anchor", "middle")), g.Text(t.Label))
		}))),
	)
}

// stackNode is a chart of shares side by side, with its legend. One share alone has no chart.
func (l *language) stackNode(s stack) g.Node {
	if len(s.Parts) == 0 {
		return nil
	}
	shares := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		shares[i] = p.Label + " " + p.Share
	}
	return g.Group{
		g.If(len(s.Parts) > 1, h.SVG(h.Class("stack"), h.Role("img"), h.Aria("label", l.text("Shares:")+" "+strings.Join(shares, ", ")),
			g.Map(s.Parts, func(p stackPart) g.Node { return rectangle(p.Class, p.X, "0", p.W, "26") }))),
		h.Ul(h.Class("key"), g.Map(s.Parts, func(p stackPart) g.Node {
			return h.Li(h.I(h.Class(p.Class)), g.Text(p.Label+" "+p.Share))
		})),
	}
}

func line(class, x1, x2, y1, y2 string) g.Node {
	return g.El("line", h.Class(class), g.Attr("x1", x1), g.Attr("x2", x2), g.Attr("y1", y1), g.Attr("y2", y2))
}

func rectangle(class, x, y, width, height string, content ...g.Node) g.Node {
	return g.El("rect", h.Class(class), g.Attr("x", x), g.Attr("y", y), g.Attr("width", width), g.Attr("height", height), g.Group(content))
}
