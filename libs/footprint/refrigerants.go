package footprint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// refrigerant is the source of an energy record of a gas that leaked. It has the
// scopes of the fuel of the same machine.
const refrigerant = "refrigerant"

// kyotoGases are the gases that the Kyoto Protocol covers, by the number that is on
// the plate of a machine, and the part of their series that names them.
var kyotoGases = [...]struct{ name, row string }{
	{"r14", "perfluoromethane_pfc_14"}, {"r23", "hfc_23"}, {"r32", "hfc_32"}, {"r41", "hfc_41"}, {"r116", "perfluoroethane_pfc_116"},
	{"r125", "hfc_125"}, {"r134", "hfc_134"}, {"r134a", "hfc_134a"}, {"r143", "hfc_143"}, {"r143a", "hfc_143a"}, {"r152", "hfc_152"},
	{"r152a", "hfc_152a"}, {"r161", "hfc_161"}, {"r218", "perfluoropropane_pfc_218"}, {"r227ea", "hfc_227ea"}, {"r236cb", "hfc_236cb"},
	{"r236ea", "hfc_236ea"}, {"r236fa", "hfc_236fa"}, {"r245ca", "hfc_245ca"}, {"r245fa", "hfc_245fa"}, {"r365mfc", "hfc_365mfc"},
	{"r43_10mee", "hfc_43_i0mee"}, {"rc318", "perfluorocyclobutane_pfc_318"}, {"pfc_3_1_10", "perfluorobutane_pfc_3_1_10"},
	{"pfc_4_1_12", "perfluoropentane_pfc_4_1_12"}, {"pfc_5_1_14", "perfluorohexane_pfc_5_1_14"}, {"pfc_9_1_18", "pfc_9_1_18"},
	{"perfluorocyclopropane", "perfluorocyclopropane"}, {"nf3", "nitrogen_trifluoride"}, {"sf6", "sulphur_hexafluoride_sf6"},
}

// kyotoBlends are blends with such a gas and none that the Montreal Protocol controls, by ANSI/ASHRAE 34. A test
// calculates their potentials from those of their parts.
const kyotoBlends = "r404a r407a r407b r407c r407d r407e r407f r410a r410b r413a r417a r417b r417c r419a r419b r421a r421b r422a r422b r422c " +
	"r422d r422e r423a r424a r425a r426a r427a r428a r429a r430a r431a r434a r435a r437a r438a r439a r440a r442a r444a r445a r507a r508a r508b r512a"

// otherGases are refrigerants and gases of fire extinguishers that the Kyoto Protocol does not cover, or that contain
// one that the Montreal Protocol controls: CFCs, HCFCs and halons, their blends, hydrocarbons and HFOs. The Corporate
// Standard of the GHG Protocol excludes such gases from the scopes (chapter 4).
const otherGases = "r11 r12 r13 r21 r22 r113 r114 r115 r123 r124 r141b r142b r225ca r225cb halon_1211 halon_1301 halon_2402 " +
	"r401a r401b r401c r402a r402b r403a r403b r405a r406a r408a r409a r409b r411a r411b r412a r414a r414b r415a r415b r416a r418a r420a " +
	"r500 r501 r502 r503 r504 r505 r506 r509a r170 r290 r600 r600a r601 r601a r1270 r1234yf r1234ze r432a r433a r433b r433c r436a r436b r441a r443a r510a r511a"

// refrigerants returns the gases that a record can be of.
func refrigerants() []string {
	out := make([]string, 0, len(kyotoGases)+strings.Count(kyotoBlends, " ")+1)
	for _, g := range kyotoGases {
		out = append(out, g.name)
	}
	return append(out, strings.Fields(kyotoBlends)...)
}

// refrigerantSeries returns the series of a gas without the edition of the potentials; empty if no record can have
// it.
func refrigerantSeries(name string) string {
	for _, g := range kyotoGases {
		if g.name == name {
			return "refr." + g.row
		}
	}
	if name != "" && slices.Contains(strings.Fields(kyotoBlends), name) {
		return "refr." + name
	}
	return ""
}

// refrigerant reads the gas of a record. A known gas outside the scopes is rejected with the reason, without
// suggesting a gas of similar spelling.
func (d *decoder) refrigerant() string {
	d.RequireWhen("source", []string{refrigerant}, "refrigerant")
	said := strings.Trim(string(d.Peek("refrigerant")), `"`)
	if !d.Describing() && others[plain(said)] {
		_, _ = d.Raw("refrigerant")
		d.Fault(apperr.Detail{Field: "refrigerant", Code: fields.NotAllowed, Message: fmt.Sprintf(
			"%s is, or holds, a gas that the Kyoto Protocol does not cover. The GHG Protocol keeps it out of all scopes: report what leaked beside the footprint.", said)})
		return ""
	}
	name, _ := d.Enum("refrigerant", refrigerants()...)
	return name
}

// plain returns the name of a gas in a form common to all spellings: r410a for R-410A. It is called for every invalid
// value.
func plain(name string) string { return plates.Replace(strings.ToLower(name)) }

var plates = strings.NewReplacer("-", "", "_", "", " ", "")

// others are otherGases, and gases the names of them and of those that records can be of,
// as plain has them.
var others, gases = namesOf(strings.Fields(otherGases)), namesOf(append(refrigerants(), strings.Fields(otherGases)...))

func namesOf(names []string) map[string]bool {
	of := make(map[string]bool, len(names))
	for _, name := range names {
		of[plain(name)] = true
	}
	return of
}

// isGas reports whether a text is a gas, even if no record can have it.
func isGas(text string) bool { return gases[plain(text)] }

// byAR6 reports whether a row is a potential by AR6 already.
func byAR6(f *factors.Factor) bool { return strings.HasSuffix(f.Series, ".ar6") }

// leaked adds the leakage of a gas, with the AR6 potential if the event requires AR6 and the set has it.
func (c *calculation) leaked(s supply, name string, q carrier) {
	series := refrigerantSeries(name)
	f := c.engine.set.Ref(series + ".ar5")
	if later := c.engine.set.Ref("refr." + name + ".ar6"); later != nil && c.ev.GWP == "AR6" {
		f = later
	}
	if f == nil {
		c.unavailable(apperr.Detail{Field: "refrigerant", Message: "The factor set has no potential of " + name + "."})
		return
	}
	c.place = "" // potentials apply everywhere
	scope, category, upstream := s.scopes(1)
	e := entry{factor: f, quantity: q.quantity, unit: "kg", stage: Direct, scope: scope, category: category,
		geography: 1, technology: q.technology}
	c.add(e)
	c.upstream(e, upstream)
}
