package sheet

// interpreter makes records of the rows of a table: by its head, by the cells of a row, and by what earlier rows said. Each
// of its rules is about one thing that people's tables say beyond the names of fields. It is a type with what it keeps of the
// table, and has up to two kinds of methods: those that find its columns are listed in [interpreter.findColumns], and those that
// complete a row, or tell why it would count otherwise than it says, in [interpreter.interpretRow]. What columns it found it
// tells all others by [table.claim].
type interpreter struct {
	table
	// typesField: the column Type has the values of a field.
	typesField bool
	// row is the one being read. It is the same for all rows: most files have many.
	row row

	asides        asides
	besides       besides
	byKind        byKind
	dimensions    dimensions
	distances     distances
	drinks        drinks
	durations     durations
	leftOut       leftOut
	legs          legs
	lodging       lodging
	marks         marks
	materials     materials
	meals         meals
	meters        meters
	countColumns  countColumns
	dayColumns    dayColumns
	modeDistances modeDistances
	origins       origins
	parts         parts
	perItem       perItem
	prices        prices
	prints        prints
	readings      readings
	routes        routes
	seats         seats
	shares        shares
	sources       sources
	subjects      subjects
	tickets       tickets
	ticks         ticks
	tonneKms      tonneKms
	totals        totals
	travellers    travellers
	treatments    treatments
	unheaded      unheaded
	unitsBeside   unitsBeside
	wasteTypes    wasteTypes
}

// newInterpreter returns the interpreter of a table without any columns.
func newInterpreter(typ string, o Options) *interpreter {
	in := &interpreter{table: table{typ: typ, o: o, thousands: map[int]bool{}}}
	t := &in.table
	in.asides.table = t
	in.besides = besides{table: t, readings: &in.readings, distances: &in.distances, lodging: &in.lodging, marks: &in.marks}
	in.dimensions = dimensions{table: t, perItem: &in.perItem}
	in.distances = distances{table: t, legs: &in.legs, perItem: &in.perItem}
	in.drinks = drinks{table: t, subjects: &in.subjects}
	in.durations = durations{table: t, perItem: &in.perItem}
	in.byKind.table = t
	in.leftOut.table = t
	in.legs.table = t
	in.lodging = lodging{table: t, subjects: &in.subjects}
	in.marks = marks{table: t, subjects: &in.subjects}
	in.materials.table = t
	in.meals.table = t
	in.meters.table = t
	in.countColumns = countColumns{table: t, ticks: &in.ticks}
	in.dayColumns = dayColumns{table: t, lodging: &in.lodging, meals: &in.meals, parts: &in.parts}
	in.modeDistances.table = t
	in.origins.table = t
	in.parts.table = t
	in.perItem = perItem{table: t, durations: &in.durations}
	in.prices = prices{table: t, perItem: &in.perItem}
	in.prints = prints{table: t, perItem: &in.perItem}
	in.readings = readings{table: t, distances: &in.distances, parts: &in.parts, perItem: &in.perItem, travellers: &in.travellers}
	in.routes.table = t
	in.seats.table = t
	in.shares = shares{table: t, perItem: &in.perItem}
	in.sources.table = t
	in.subjects.table = t
	in.tickets.table = t
	in.ticks.table = t
	in.tonneKms = tonneKms{table: t, perItem: &in.perItem}
	in.totals.table = t
	in.travellers.table = t
	in.treatments.table = t
	in.unheaded.table = t
	in.unitsBeside.table = t
	in.wasteTypes.table = t
	return in
}
