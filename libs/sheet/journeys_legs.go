package sheet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// legs are the columns of the legs of journeys.
type legs struct {
	*table
	of []legColumn
}

// legPart is what a column has of one leg of a journey.
type legPart uint8

const (
	noPart   legPart = iota
	legFrom          // where the leg begins
	legTo            // where it ends
	legRoute         // both: FRA-LHR
	legStop          // a stop of the journey
	legClass
	legDistance
)

// legColumn is a column of one leg, such as "Leg 2 From". The legs are numbered from 1; the way back is the last one.
type legColumn struct {
	at, number int
	part       legPart
}

// wayBack is the number of the leg of the way back.
const wayBack = 100

// Words of such headings.
const (
	legWords     wordlist.List = "legWords"
	fromWords    wordlist.List = "fromWords"
	toWords      wordlist.List = "toWords"
	stopHeads    wordlist.List = "stopHeads"
	awayWords    wordlist.List = "awayWords"
	homeWords    wordlist.List = "homeWords"
	classHeads   wordlist.List = "classHeads"
	besideLegs   wordlist.List = "besideLegs"
	withoutStops wordlist.List = "withoutStops"
)

// legHead returns the part and the number of the leg that a heading names; noPart: it names none.
func legHead(head string) (part legPart, number int) {
	legs, away, home := 0, false, false
	take := func(p legPart) bool {
		if part == noPart {
			part = p
		}
		return part == p
	}
	for _, word := range headWords(head) {
		ok := true
		switch n, err := strconv.Atoi(word); {
		case err == nil:
			ok, number = number == 0 && n > 0 && n < 10, n
		case legWords.Has(word):
			legs++
		case awayWords.Has(word):
			away = true
		case homeWords.Has(word):
			home = true
		case fromWords.Has(word):
			ok = take(legFrom)
		case toWords.Has(word):
			ok = take(legTo)
		case stopHeads.Has(word):
			ok = take(legStop)
		case classHeads.Has(word):
			ok = take(legClass)
		case distanceHeads.Has(word):
			ok = take(legDistance)
		default:
			ok = besideLegs.Has(word)
		}
		if !ok {
			return noPart, 0
		}
	}
	switch {
	case part == legStop:
		return part, number
	case part == noPart && number > 0 && legs > 0 && !away && !home:
		return legRoute, number
	case part == noPart || legs > 1 || away && home:
		return noPart, 0
	case number == 0 && home && (part == legFrom || part == legTo):
		number = wayBack
	case number == 0 && away && (part == legFrom || part == legTo):
		number = 1
	case number == 0 || home || away:
		return noPart, 0 // one of a journey with several legs each way
	}
	return part, number
}

// headWords returns the words and numbers of a heading in small letters: leg, 2, from of Leg2From.
func headWords(head string) (words []string) {
	word, before := "", rune(0)
	end := func() {
		if word != "" {
			words = append(words, strings.ToLower(word))
		}
		word = ""
	}
	for _, c := range head {
		letter, digit := unicode.IsLetter(c), unicode.IsDigit(c)
		if !letter && !digit || digit != unicode.IsDigit(before) || unicode.IsUpper(c) && unicode.IsLower(before) {
			end()
		}
		if letter || digit {
			word += string(c)
		}
		before = c
	}
	end()
	return words
}

// travels are the types of journeys between places.
var travels = []string{"flights", "ground-transport", "freight", Mixed}

// findLegs finds the columns of the legs of journeys.
func (r *legs) findLegs() {
	if !slices.Contains(travels, r.typ) {
		return
	}
	for at, head := range r.heads {
		if head == "" || !r.free(at) {
			continue
		}
		part, number := legHead(head)
		if part == noPart {
			continue
		}
		r.of = append(r.of, legColumn{at, number, part})
		r.claim(placeAt(at), "", suffices)
		r.use(at)
	}
	slices.SortStableFunc(r.of, func(a, b legColumn) int { return cmp.Compare(a.number, b.number) })
}

// leg is one leg of a journey as its columns have it.
type leg struct {
	number   int
	from, to string
	at       int // of its first column
	between  []string
}

// rowLegs are the legs of a row.
type rowLegs struct {
	legs    []leg
	stops   []string
	stopAt  int
	class   json.RawMessage
	classAt int
	far     int // the column of a distance of a further leg; -1: none
}

// severalLegs joins the legs of a row into one journey, and returns the fault of a row whose legs are not connected.
func (r *legs) severalLegs(row *row) *apperr.Detail {
	if len(r.of) == 0 {
		return nil
	}
	if columnOf(row.typ, "from").Name == "" {
		for _, c := range r.of {
			if oneCell(row.cells, c.at) != "" {
				row.unread = append(row.unread, c.at)
			}
		}
		return nil
	}
	l, fault := r.legsOf(&row.body, row.typ, row.cells)
	if fault != nil {
		return fault
	}
	if l.far >= 0 && (len(l.legs) == 0 || row.has(distanceField)) {
		return &apperr.Detail{Field: r.heads[l.far], Code: fields.NotAllowed, Suggestions: []string{distanceField},
			Message: fmt.Sprintf("%s is %.40s, which the record would not count. Write a row for each leg, or the distance of all of them into a column distanceKm.", r.heads[l.far], oneCell(row.cells, l.far))}
	}
	if len(l.legs) == 0 && len(l.stops) == 0 {
		return nil
	}
	if l.class != nil && !row.has("class") {
		row.set("class", l.class)
	}
	whole := leg{from: row.text("from"), to: row.text("to"), at: l.stopAt, between: row.texts("via")}
	if len(l.legs) == 0 || l.legs[0].number != 1 && (whole.from != "" || whole.to != "") {
		l.legs = slices.Insert(l.legs, 0, whole)
		whole = leg{}
	}
	places, fault := r.chain(l)
	if fault != nil {
		return fault
	}
	first, last, at := places[0], places[len(places)-1], l.legs[len(l.legs)-1].at
	if whole.from != "" && !samePlace(whole.from, first) || whole.to != "" && !samePlace(whole.to, last) &&
		(!samePlace(first, last) || !slices.ContainsFunc(places, func(p string) bool { return samePlace(p, whole.to) })) {
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"from", "to"},
			Message: fmt.Sprintf("The legs go from %.40s to %.40s, and the row says from %.40q to %.40q. Write a row for each leg.", first, last, whole.from, whole.to)}
	}
	for _, stop := range slices.Concat(l.stops, whole.between) {
		if !slices.ContainsFunc(places, func(p string) bool { return samePlace(p, stop) }) {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"via"},
				Message: fmt.Sprintf("The legs do not stop at %.40s, which the row has as a stop. Write the stops once, or a row for each leg.", stop)}
		}
	}
	return row.journey(r.heads[at], places)
}

// legsOf reads the columns of legs.
func (r *legs) legsOf(b *body, typ string, cells []string) (l rowLegs, fault *apperr.Detail) {
	l.far, l.classAt = -1, -1
	if at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "class" }); at >= 0 {
		l.class, l.classAt = b.values["class"], at
	}
	for _, c := range r.of {
		cell := Unguard(oneCell(cells, c.at))
		if cell == "" || strings.Trim(cell, "-–—./ ") == "" {
			continue
		}
		if c.part != legDistance && c.part != legClass && (countsStops(cell) || units.IsDate(cell)) {
			b.unread = append(b.unread, c.at)
			continue
		}
		i := slices.IndexFunc(l.legs, func(of leg) bool { return of.number == c.number })
		if i < 0 && (c.part == legFrom || c.part == legTo || c.part == legRoute && ofRoute.MatchString(strings.ToUpper(cell))) {
			i = len(l.legs)
			l.legs = append(l.legs, leg{number: c.number, at: c.at})
		}
		switch c.part {
		case legFrom:
			l.legs[i].from = cell
		case legTo:
			l.legs[i].to = cell
		case legRoute:
			codes := codesOf(cell)
			if codes == nil {
				b.unread = append(b.unread, c.at) // the number of a flight
				continue
			}
			last := len(codes) - 1
			l.legs[i].from, l.legs[i].to, l.legs[i].between = codes[0], codes[last], codes[1:last]
		case legStop:
			l.stopAt = c.at
			l.stops = append(l.stops, stopsOf(cell)...)
		case legClass:
			field := columnOf(typ, "class")
			if field.Name == "" {
				b.unread = append(b.unread, c.at)
				continue
			}
			class := field.value(cell, r.o)
			if l.class != nil && !strings.EqualFold(string(l.class), string(class)) {
				return l, &apperr.Detail{Field: r.heads[c.at], Code: fields.NotAllowed, Suggestions: []string{"class"},
					Message: fmt.Sprintf("%s is %.40q, and %s %.40q: a record has one class. Write a row for each leg.", r.heads[c.at], cell, r.heads[l.classAt], oneCell(cells, l.classAt))}
			}
			l.class, l.classAt = class, c.at
		case legDistance:
			if !strings.ContainsAny(cell, "123456789") {
				continue
			}
			b.unread = append(b.unread, c.at)
			if c.number > 1 {
				l.far = c.at
			}
		case noPart:
		}
	}
	return l, nil
}

// chain returns the places of the legs in order; each leg begins where the one before ends.
func (r *legs) chain(l rowLegs) (places []string, fault *apperr.Detail) {
	for i, of := range l.legs {
		if i > 0 {
			of.from = cmp.Or(of.from, places[len(places)-1])
		}
		if i+1 < len(l.legs) {
			of.to = cmp.Or(of.to, l.legs[i+1].from)
		}
		if of.number == wayBack && i > 0 {
			of.to = cmp.Or(of.to, places[0])
		}
		switch {
		case of.from == "" || of.to == "":
			return nil, &apperr.Detail{Field: r.heads[of.at], Code: fields.Required, Suggestions: []string{"from", "to"},
				Message: "A leg of the journey has no beginning or no end. Write both, or a row for each leg."}
		case i > 0 && !samePlace(of.from, places[len(places)-1]):
			return nil, &apperr.Detail{Field: r.heads[of.at], Code: fields.NotAllowed, Suggestions: []string{"from", "to"},
				Message: fmt.Sprintf("A leg begins at %.40s, and the one before it ends at %.40s. Write a row for each leg.", of.from, places[len(places)-1])}
		case i == 0:
			places = append(places, of.from)
		}
		if len(l.legs) == 1 || l.legs[1].number == wayBack && i == 0 {
			of.between = slices.Concat(of.between, l.stops)
		}
		places = append(append(places, of.between...), of.to)
	}
	return places, nil
}

// samePlace reports whether two texts name the same place: LHR and lhr, or LON and its representative airport.
func samePlace(a, b string) bool {
	x, known := locations.Resolve(strings.ToUpper(strings.TrimSpace(a)))
	y, also := locations.Resolve(strings.ToUpper(strings.TrimSpace(b)))
	return known && also && x.Airport == y.Airport || strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// journey sets origin, stops and destination of a journey. One that returns by the same way is a return journey.
func (b *body) journey(head string, places []string) *apperr.Detail {
	last := len(places) - 1
	if samePlace(places[0], places[last]) {
		back := slices.Clone(places)
		slices.Reverse(back)
		said, stated := b.values["roundTrip"]
		if last < 2 || !slices.EqualFunc(places, back, samePlace) || stated && string(said) != "true" {
			return &apperr.Detail{Field: head, Code: fields.NotAllowed,
				Message: fmt.Sprintf("%s comes back to %s by another way than it goes; write a row for each of its parts.", strings.Join(places, "-"), places[0])}
		}
		b.put("roundTrip", true)
		last /= 2
	}
	b.put("from", places[0])
	b.put("to", places[last])
	delete(b.values, "via")
	b.names = slices.DeleteFunc(b.names, func(name string) bool { return name == "via" })
	if via := places[1:last]; len(via) > 0 {
		b.put("via", via)
	}
	return nil
}

// codesOf returns the codes of an itinerary, such as LHR-JFK; nil for another text.
func codesOf(text string) []string {
	text = strings.ToUpper(strings.TrimSpace(text))
	if !ofRoute.MatchString(text) {
		return nil
	}
	return strings.FieldsFunc(text, func(c rune) bool { return c < 'A' || c > 'Z' })
}
