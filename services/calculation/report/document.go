package report

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/eventcarbon/ecf/libs/bundle"
)

// document is the page in HTML.
func (l *language) document(p page) g.Node {
	return h.Doctype(h.HTML(h.Lang(p.Language),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(l.say("Carbon footprint of %s", p.Title)),
			h.StyleEl(g.Raw(style)),
		),
		h.Body(g.Raw("\n"),
			l.top(p),
			h.Main(l.sources(p), l.protocol(p), l.standards(p), l.offsets(p), l.quality(p), l.method(p),
				l.annexOfRecords(p), l.annexOfFactors(p), l.reasons(p), l.proof(p)),
		),
	))
}

// say is a text in the language; see [language.text].
func (l *language) say(english string, args ...any) g.Node { return g.Text(l.text(english, args...)) }

// elements is a text of the catalogue that has elements of HTML.
func (l *language) elements(english string) g.Node { return g.Raw(l.text(english)) }

// top is what stands above the sections: the total and what it is of.
func (l *language) top(p page) g.Node {
	organization, place := "", p.Place
	if p.Organization != "" {
		organization = ", " + p.Organization
	}
	if p.Dates != "" && place != "" {
		place = ", " + place
	}
	per := func(kg, what string) g.Node {
		return g.If(kg != "", h.Div(h.Strong(g.Text(kg+" kg")), h.Span(g.Text(what))))
	}
	return h.Header(
		h.P(h.Class("eyebrow"), l.say("Carbon footprint report"), g.Text(organization)),
		h.H1(g.Text(p.Title)),
		h.P(h.Class("when"), g.Text(p.Dates+place)),
		h.Div(h.Class("headline"),
			h.Div(h.Class("total"), h.Strong(g.Text(p.Total.Value+" "+p.Total.Unit)),
				h.Span(l.say("CO₂ equivalent; between %s and %s %s given the known uncertainties (see Limits)", p.Total.Low, p.Total.High, p.Total.Unit))),
			per(p.PerAttendee, l.text("per attendee in person")),
			per(p.PerDay, l.text("per attendee and day")),
		),
		g.If(p.TranslationOf != "", h.P(h.Class("info"), g.Text(p.TranslationOf))),
		h.P(g.Text(p.Intro)),
		facts(p.Facts, g.Text),
		g.If(p.Statement != "", h.P(l.say("Statement at sign-off: “%s”", p.Statement))),
		noted(l.say("Figures on this page are rounded for reading, each by itself, so the parts of a total may differ from it in the last digit. The exact figures, whose parts add up to the total to the last digit, are in the CSV and JSON versions of this report."),
			g.Iff(p.Translated, func() g.Node {
				return g.Group{g.Text(" "), l.say("The names, sources and licences of factors are quoted in English as published.")}
			})),
		g.Raw("\n"),
	)
}

func (l *language) sources(p page) g.Node {
	intervals := func(first, caption string, rows []row) g.Node {
		return framed(caption, figures(caption,
			[]string{first, l.text("Records"), "kg CO₂e", l.text("Share"), l.text("Low"), l.text("High")},
			cells(rows, row.interval), [][]string{l.total(p.Whole).interval()}))
	}
	return section(l.text("Emissions by source"),
		l.barsNode(p.TypesChart),
		noted(l.say("The line on each bar shows the interval that results from the known uncertainties; see Limits. Intervals do not add up, because errors of different sources partly cancel out.")),
		intervals(l.text("Source"), l.text("By source"), p.Types),
		g.Iff(len(p.Groups) > 1, func() g.Node {
			return h.Div(h.Class("whole"), h.H3(l.say("Emissions by group of people")), l.barsNode(p.GroupsChart),
				intervals(l.text("Group"), l.text("By group of people"), p.Groups))
		}),
		g.Iff(p.WithoutAttendeeTravel != "", func() g.Node {
			return h.P(l.say("Without the travel of attendees, which an organiser can influence but not decide, the footprint is %s kg.", p.WithoutAttendeeTravel))
		}),
	)
}

// protocol has the figures by the categories of the GHG Protocol.
func (l *language) protocol(p page) g.Node {
	shares := func(caption, first string, rows []row) g.Node {
		return figures(caption, []string{first, "kg CO₂e", l.text("Share")}, cells(rows, row.share), [][]string{l.total(p.Whole).share()})
	}
	return section(l.text("Emissions by GHG Protocol category"),
		l.stackNode(p.ScopesChart),
		shares(l.text("By scope"), l.text("Scope"), p.Scopes),
		g.Iff(len(p.Categories) > 0, func() g.Node { // a part of the total has no total
			return figures(l.text("Scope 3 by category"), []string{l.text("Category"), "kg CO₂e", l.text("Share of total")}, cells(p.Categories, row.share), nil)
		}),
		shares(l.text("By stage"), l.text("Stage"), p.Stages),
		shares(l.text("By gas, in CO₂ equivalent"), l.text("Gas"), p.Gases),
		h.P(l.say("CO₂ of biomass, which is reported outside of the scopes and is not in the total: %s kg, where it is published for the factor.", p.Biogenic)),
		g.Iff(p.Market != nil, func() g.Node {
			caption := l.text("Electricity by location and by contract, within one boundary")
			return g.Group{
				framed(caption, figures(caption, []string{l.text("Electricity"), l.text("Location-based, kg CO₂e"), l.text("Market-based, kg CO₂e")}, cells(p.Market.Rows, marketRow.cells), nil)),
				h.P(l.say("The total uses the location-based figure. Both columns are for the same kilowatt-hours and exclude grid losses and the supply of fuels, which add %s kg to each.", p.Market.Upstream)),
			}
		}),
	)
}

// standards has the tables of other standards.
func (l *language) standards(p page) g.Node {
	return section(l.text("Tables by reporting standard"), g.Map(p.Tables, func(t tablePage) g.Node {
		foot := [][]string{l.total(t.Total).share()}
		if t.MarketTotal != "" {
			foot = append(foot, []string{l.text("Total with scope 2 by contract (market-based)"), t.MarketTotal, ""})
		}
		return g.Group{figures(t.Title, []string{l.text("Row"), "kg CO₂e", l.text("Share")}, cells(t.Rows, row.share), foot), noted(g.Text(t.Note))}
	}))
}

func (l *language) offsets(p page) g.Node {
	if len(p.Compensation) == 0 {
		return nil
	}
	return section(l.text("Offsets and removals (not deducted)"),
		h.P(l.say("These are stated by the organiser. They are not subtracted from any figure in this report.")),
		framed(l.text("Offsets and removals"), table{
			headings: []string{l.text("Kind"), l.text("What"), l.text("Standard, registry and reference"), l.text("Retired"), "kg CO₂e"}, texts: 4,
			rows: cells(p.Compensation, compensationRow.cells),
		}.node()))
}

// quality has the quality of the data, and what to know about the figures.
func (l *language) quality(p page) g.Node {
	return section(l.text("Quality of the data"),
		l.stackNode(p.QualityChart),
		noted(l.say("Shares of the total by how the underlying quantity was determined.")),
		g.Iff(p.Extrapolated != "", func() g.Node {
			return h.P(l.say("%s kg of the total result from scaling up survey answers to everyone the survey represents.", p.Extrapolated))
		}),
		g.Iff(len(p.Next) > 0, func() g.Node {
			name := l.text("What to measure next")
			return h.Div(h.Class("next"), h.H3(g.Text(name)),
				h.P(l.say("These records contribute most to the uncertainty of the total. Measuring them narrows the interval the most. The share of variance takes into account that lines with the same factor have the same error.")),
				framed(name, figures("", []string{l.text("Record"), "kg CO₂e", l.text("Low"), l.text("High"), l.text("Share of variance")}, cells(p.Next, row.variance), nil)))
		}),
		g.Iff(len(p.Findings)+len(p.Notices)+len(p.Failed) > 0, func() g.Node { return h.H3(l.say("What to know about these figures")) }),
		g.Map(p.Findings, func(f said) g.Node { return h.P(h.Class(f.Severity), f.Said) }),
		g.Iff(len(p.Failed) > 0, func() g.Node {
			return h.P(h.Class("warning"), l.say("Approved but missing from the total, because no factor is available for them:"), g.Text(" "), joined(p.Failed, code), g.Text("."))
		}),
		g.Map(p.Notices, func(n phrase) g.Node { return h.P(h.Class("info"), n) }),
	)
}

// method has the boundary, the methods and the limits.
func (l *language) method(p page) g.Node {
	return section(l.text("Boundary and method"),
		g.Iff(len(p.Included) > 0, func() g.Node {
			return h.P(l.say("The organiser states that these sources are included:"), g.Text(" "), joined(p.Included, g.Text), g.Text("."))
		}),
		g.Iff(len(p.Excluded) > 0, func() g.Node {
			return g.Group{h.P(l.say("The organiser states that these sources are left out:")), items(p.Excluded, func(x exclusion) g.Node {
				return g.Group{g.Text(x.Type), g.If(x.Reason != "", g.Text(": "+x.Reason))}
			})}
		}),
		g.Iff(len(p.Included)+len(p.Excluded) == 0, func() g.Node {
			return h.P(l.say("The organiser has not stated a boundary. The footprint covers only what was recorded and approved."))
		}),
		facts(p.Methods, g.Text),
		h.P(l.say("Each line is a quantity multiplied by a published emission factor, rounded once to a milligram; from then on the lines are added exactly. Where the supply of a fuel or grid losses are published separately, they are added as upstream emissions.")),
		h.H3(l.say("Limits")),
		items(l.limits(p), g.Text),
	)
}

// limits are the limits of the figures.
func (l *language) limits(p page) []string {
	flights := l.text("Flights are calculated by great-circle distance; the factors already contain an uplift for detours.") + " "
	if p.ShortFlights {
		flights += l.text("Flights outside the UK of less than about 500 km use an average factor of longer flights; their emissions may be 1.5 to 1.6 times the figure.") + " "
	}
	all := []string{
		l.text("A footprint is only as complete as its records. Sources that were not recorded are missing."),
		flights + l.text("The effects of aviation beyond CO₂ are less well known than those of CO₂."),
		p.Interval,
		l.text("Factors for recycling, incineration, composting and digestion of waste cover collection and transport only; do not use them to compare treatments."),
		l.text("The service records no verification of the figures by an independent party. Where there was one, the organiser states it."),
		l.text("Offsets, avoided emissions and renewable energy certificates are never subtracted from the total."),
	}
	if p.DirectOnly != "" {
		all = append(all, l.text("The grid factors used for %s cover generation only. They cannot be compared with those of countries whose factors cover the life cycle.", p.DirectOnly))
	}
	return all
}

func (l *language) annexOfRecords(p page) g.Node {
	return h.Section(h.Class("annex"), h.H2(l.say("Annex A: the records")),
		h.P(l.say("Largest first, each line with its formula, so that every figure can be checked by hand.")), g.Raw("\n"),
		g.Map(p.Annex, func(r annexRecord) g.Node {
			class, title := "record", r.Type
			if r.Whole {
				class += " whole"
			}
			if r.Title != "" {
				title += ": " + r.Title
			}
			return h.Div(h.Class(class), h.H3(h.Span(g.Text(title)), h.Span(g.Text(r.Kg+" kg"))),
				g.Map(r.Lines, func(line annexLine) g.Node {
					return g.Group{
						g.If(line.Way != "", h.P(h.Class("way"), g.Text(line.Way))),
						h.P(h.Class("formula"), g.Text(l.formula(line.Formula)+" "), h.Span(h.Class("by"), l.say(line.Stage), g.Text(": "+line.FactorID))),
					}
				}),
				g.Map(r.Notices, func(n phrase) g.Node { return noted(n) }),
				noted(l.say("Record"), g.Text(" "), code(r.ID)), g.Raw("\n"))
		}),
		g.Iff(p.Left != nil, func() g.Node { return h.P(h.Strong(g.Text(p.Left.Name)), g.Text(" "+p.Left.Rest)) }),
	)
}

func (l *language) annexOfFactors(p page) g.Node {
	set := l.text("The rows of the factor set “%s” that are used in the figures above, in kg CO₂e per unit, and rows of other publications where it has none.", p.Set)
	if p.PastBest != "" {
		set += " " + p.PastBest
	}
	return h.Section(h.Class("annex"), h.H2(l.say("Annex B: factors and sources")), h.P(g.Text(set)), g.Raw("\n"),
		g.Map(p.Factors, l.factorNode),
		h.H3(l.say("Attribution")),
		items(p.Attributions, func(of string) g.Node { return l.quote(of) }),
	)
}

// factorNode is a factor with its source.
func (l *language) factorNode(f bundle.Factor) g.Node {
	about := g.Group{l.quote(described(f))}
	if f.Region != "" {
		about = append(about, g.Text(" "), l.say("Region:"), g.Text(" "), l.region(f.Region), g.Text("."))
	}
	about = append(about, g.Text(" "), l.say("Year: %s.", l.yearOfRow(f.Year)))
	if best := bestBefore(f); best != "" {
		about = append(about, g.Text(" "), l.say("Best before: %s.", l.isoDate(best)))
	}
	return h.Div(h.Class("record whole"), h.H3(h.Span(code(f.ID)), h.Span(l.say("%s per %s", l.valueOf(f), l.unit(f.Unit)))),
		h.P(about),
		noted(l.quote(cited(f)), g.Text(" "), l.say("Licence:"), g.Text(" "), l.quote(f.Licence+".")), g.Raw("\n"))
}

// reasons are those for the revision.
func (l *language) reasons(p page) g.Node {
	if len(p.Causes) == 0 {
		return nil
	}
	return section(l.text("Reasons for this revision"), h.P(g.Text(p.SinceWhen)), items(p.Causes, g.Text))
}

// proof states how to check the report.
func (l *language) proof(p page) g.Node {
	command := "ecf verify "
	if p.SignedWith != "" {
		command += "--key " + p.SignedWith + " "
	}
	return h.Section(h.Class("whole"), h.H2(l.say("How to check this report")),
		h.P(l.say("The JSON version of this report contains every input, factor and figure; whoever can open this page on the server can download it there. The program ecf of the service recalculates it on any computer, without a network, and reports any difference, even of a single byte. It is the version of this page if the hash that the program prints is the hash of the report below:"),
			g.Text(" "), code(command+"report.json")),
		h.P(l.elements(`How each type of record is calculated, with which factors and limits, is described in the <a href="/methodology" target="_blank" rel="noopener">methodology</a>; what the JSON version contains, and how other programs can check it, in <a href="/report-bundles" target="_blank" rel="noopener">report bundles</a>. Both are pages of the server that created this report.`)),
		facts(p.Proof, code),
		g.Iff(p.SignedWith != "", func() g.Node {
			return noted(l.elements(`The signature is of the JSON version, not of this page; the command fails unless it was made with the key above. That the key is the service’s can be seen on the server at <code>/.well-known/report-keys.json</code>, where it publishes its keys for reports.`))
		}),
	)
}
