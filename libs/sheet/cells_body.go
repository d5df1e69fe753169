package sheet

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// body is the JSON object of a row being built.
type body struct {
	names  []string
	values map[string]json.RawMessage
	// stated are cells whose numbers have units or separators; they go to the record's stated object, which preserves
	// the original text.
	stated map[string]string
	// unknownAmount is the fault of an amount without a unit, where the row needs it, and
	// amountAt the place of its column and amountCell the amount.
	unknownAmount *apperr.Detail
	amountAt      int
	amountCell    string
	// unread are the columns of ignored cells.
	unread []int
	// currency is that which an amount of money is written with.
	currency string
	// sharedMode is the answer of one who shares a vehicle; empty where the row has none.
	sharedMode string
	// vehicle is the car that the cell of the mode names.
	vehicle vehicleKind
	// counted are the places of the counts by which amounts were multiplied.
	counted []int
}

func newBody() body {
	return body{values: map[string]json.RawMessage{}, stated: map[string]string{}}
}

func (b *body) set(name string, value json.RawMessage) {
	b.names = append(b.names, name)
	b.values[name] = value
}

// put sets a field that the row may have already.
func (b *body) put(name string, value any) {
	encoded, _ := json.Marshal(value) //nolint:errchkjson // texts, lists of them, numbers and truth values always marshal
	if b.values[name] == nil {
		b.names = append(b.names, name)
	}
	b.values[name] = encoded
}

// remove takes a field out of the row.
func (b *body) remove(name string) {
	delete(b.values, name)
	delete(b.stated, name)
	b.names = slices.DeleteFunc(b.names, func(other string) bool { return other == name })
}

// has reports whether a row has a field, in whatever unit.
func (b *body) has(name string) bool { return b.values[name] != nil || b.stated[name] != "" }

// text returns a field that is a text.
func (b *body) text(name string) (text string) {
	_ = json.Unmarshal(b.values[name], &text) // a row may have none
	return strings.TrimSpace(text)
}

// texts returns a field that is a list of texts.
func (b *body) texts(name string) (list []string) {
	_ = json.Unmarshal(b.values[name], &list) // a row may have none
	return list
}

// number returns a whole number of the row; 0 if it has none.
func (b *body) number(name string) float64 {
	n, _ := new(big.Rat).SetString(string(b.values[name]))
	if n == nil {
		return 0
	}
	f, _ := n.Float64()
	return f
}

// finish encodes the object, with stated cells merged into the row's own stated object.
func (in *interpreter) finish(b *body) json.RawMessage {
	if len(b.stated) > 0 {
		own := map[string]string{}
		if json.Unmarshal(b.values["stated"], &own) != nil {
			own = map[string]string{}
		}
		maps.Copy(own, b.stated)
		text, _ := json.Marshal(own) //nolint:errchkjson // texts always marshal
		if b.values["stated"] == nil {
			b.names = append(b.names, "stated")
		}
		b.values["stated"] = text
		if f := in.declared(); f != "" && b.values["numberFormat"] == nil {
			b.set("numberFormat", json.RawMessage(strconv.Quote(f)))
		}
	}
	out := []byte{'{'}
	for i, name := range b.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, name), ':'), b.values[name]...)
	}
	return append(out, '}')
}
