package footprint_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestNoInputIsIgnoredSilently states each number, flag and choice of each type beside every way to state a record, and
// beside every other field: each changes the figure or the interval, is refused, or is named in a notice.
func TestNoInputIsIgnoredSilently(t *testing.T) {
	t.Parallel()
	// These are documented as information; a category or a kind that has its own factor says what the record is about.
	informative := []string{"catering wastedPercent", "flights direction", "purchases category", "accommodation kind"}
	tried := 0
	for _, typ := range footprint.Types() {
		probes := probesOf(t, typ)
		for _, body := range probed(t, typ, probes) {
			if d, err := footprint.Decode(typ, []byte(body), london); err != nil || total.Of(&d.Evaluation).Total().IsZero() {
				continue
			}
			for name, values := range probes {
				if slices.Contains(informative, typ+" "+name) {
					continue
				}
				tried++
				if ignored(typ, body, name, values) {
					t.Errorf("%s of %s is ignored silently in %s", name, typ, body)
				}
			}
		}
	}
	if tried < 4000 {
		t.Errorf("%d fields were tried", tried)
	}
}

// ignored reports whether no value of a field makes a difference to a body, and not every one is named in a notice.
func ignored(typ, body, name string, values []any) bool {
	figures, named, accepted := map[string]bool{}, true, 0
	for _, v := range append([]any{nil}, values...) {
		d, err := footprint.Decode(typ, []byte(with(body, name, v)), london)
		if err != nil {
			continue
		}
		lines, _ := json.Marshal(d.Evaluation.Lines)
		market, _ := json.Marshal(d.Evaluation.Market)
		if figures[string(lines)+string(market)] = true; len(figures) > 1 {
			return false
		}
		if v != nil {
			accepted++
			named = named && slices.ContainsFunc(append(d.Notices, d.Evaluation.Notices...), func(n footprint.Notice) bool { return n.Field == name || strings.HasPrefix(n.Message, name+" ") })
		}
	}
	return accepted > 1 && !named
}

// probesOf returns values of the numbers, flags and choices of a type that a record need not have.
func probesOf(t *testing.T, typ string) map[string][]any {
	out := map[string][]any{}
	for _, property := range footprint.Properties(typ) {
		var p schema
		if err := decodeNumbers(property.Schema, &p); err != nil {
			t.Fatal(err)
		}
		switch choices, _ := p["enum"].([]any); {
		case property.Shared || property.Required:
		case p["type"] == "boolean":
			out[property.Name] = []any{true, false}
		case p["type"] == "number" || p["type"] == "integer":
			out[property.Name] = []any{json.Number("2"), json.Number("3"), json.Number("40")}
		case choices != nil:
			out[property.Name] = choices[:min(len(choices), 8)]
		}
	}
	return out
}

// probed returns the ways to state a record of a type, each also with every probe and with every mode, source, activity
// or material.
func probed(t *testing.T, typ string, probes map[string][]any) []string {
	var ways []string
	for _, e := range footprint.Examples(typ) {
		ways = append(ways, string(e))
	}
	alternatives, _ := schemaOf(t, typ)["anyOf"].([]any)
	for _, w := range alternatives {
		ways = append(ways, encoded(t, w.(schema)["examples"].([]any)[0]))
	}
	bodies := slices.Clone(ways)
	for _, b := range ways {
		for _, choice := range []string{"mode", "source", "activity", "material", "kind"} {
			p, ok := schemaOf(t, typ)["properties"].(schema)[choice].(schema)
			for i := 0; ok && i < min(len(p["enum"].([]any)), 15); i++ {
				bodies = append(bodies, with(b, choice, p["enum"].([]any)[i]))
			}
		}
		for name, p := range probes {
			bodies = append(bodies, with(b, name, p[0]))
		}
	}
	slices.Sort(bodies)
	return slices.Compact(bodies)
}

// with returns a body with a field, or without it if the value is nil.
func with(body, name string, value any) string {
	var v map[string]any
	if err := decodeNumbers([]byte(body), &v); err != nil {
		panic(fmt.Sprint(body, err))
	}
	delete(v, name)
	if value != nil {
		v[name] = value
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// TestUnusedInputsAreNamed: the notice names the field, and those that decide instead.
func TestUnusedInputsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"ground-transport", `{"mode":"rail","distanceKm":100,"passengers":2,"vehicles":3}`, "vehicles: The figure follows from distanceKm, passengers; vehicles was not used."},
		{"ground-transport", `{"mode":"coach","distanceKm":100,"passengers":80,"vehicles":2}`, "vehicles: The figure follows from distanceKm, passengers; vehicles was not used."},
		{"ground-transport", `{"mode":"van","volumeLitres":55,"trips":4,"roundTrip":true}`, "roundTrip: The figure follows from volumeLitres; roundTrip was not used. trips: The figure follows from volumeLitres; trips was not used."},
		{"ground-transport", `{"mode":"car","distanceKm":9,"passengers":1,"trips":1,"roundTrip":false,"occupancy":1}`, ""},
		{"ground-transport", `{"mode":"walk","distanceKm":9,"passengers":1,"trips":4}`, ""},
		{"accommodation", `{"rooms":5,"nights":2,"guests":8}`, "guests: The figure follows from nights, rooms; guests was not used."},
		{"waste", `{"weightKg":90,"containers":2,"container":"caddy","fillPercent":50,"treatment":"landfill"}`, "container: The figure follows from weightKg; container was not used. fillPercent: The figure follows from weightKg; fillPercent was not used."},
		{"venue", `{"electricityKWh":900,"days":3,"attendees":400}`, "attendees: The figure follows from electricityKWh; attendees was not used. days: The figure follows from electricityKWh; days was not used."},
		{"venue", `{"electricityKWh":0,"gasKWh":0,"days":3}`, ""},
		{"purchases", `{"category":"other","amount":100,"currency":"EUR","kgCO2ePerUnit":0.1,"factorSource":"x","evidence":[{"name":"a"}],"vatRate":19}`, "vatRate: The figure follows from amount, kgCO2ePerUnit; vatRate was not used."},
	} {
		d, err := footprint.Decode(c.typ, []byte(c.body), london)
		if err != nil {
			t.Errorf("%s: %s", c.body, describe(err))
			continue
		}
		var got []string
		for _, n := range d.Notices {
			got = append(got, n.Field+": "+n.Message)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s\ngot  %q\nwant %q, beside %v", c.typ, c.body, got, c.want, d.Evaluation.Notices)
		}
	}
}
