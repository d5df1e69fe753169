package footprint

import (
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// wasteContainers are the containers that waste is counted by, with the rows of
// their volume.
var wasteContainers = [...]struct{ name, row string }{
	{"sack", "bin.sack"}, {"caddy", "bin.caddy"}, {"dustbin", "bin.dustbin"},
	{"wheelie_120", "bin.wheelie.120"}, {"wheelie_240", "bin.wheelie.240"}, {"wheelie_360", "bin.wheelie.360"},
	{"wheelie_660", "bin.wheelie.660"}, {"wheelie_770", "bin.wheelie.770"}, {"wheelie_1100", "bin.wheelie.1100"},
	{"skip_2yd", "bin.skip.2yd"}, {"skip_3yd", "bin.skip.3yd"}, {"skip_4yd", "bin.skip.4yd"}, {"skip_6yd", "bin.skip.6yd"}, {"skip_8yd", "bin.skip.8yd"},
	{"skip_10yd", "bin.skip.10yd"}, {"skip_12yd", "bin.skip.12yd"}, {"skip_16yd", "bin.skip.16yd"},
	{"roll_on_20yd", "bin.skip.20yd"}, {"roll_on_30yd", "bin.skip.30yd"}, {"roll_on_40yd", "bin.skip.40yd"},
}

// wasteDensities are the rows with the density of each material in a bin.
var wasteDensities = map[string]string{
	mixed: "density.general", "food": "density.food", "paper_card": "density.cardboard", "plastic": "density.plastic_mixed", "glass": "density.glass",
	"metal": "density.beverage_containers", "wood": "density.wood", "textile": "density.textiles", "construction": "density.construction_mixed",
}

// density returns the published density of the waste; false if there is none.
func (w *waste) density() (factors.Default, bool) {
	id := wasteDensities[w.material()]
	if w.material() == mixed && w.Treatment == "recycling" {
		id = "density.mixed_recycling"
	}
	return factors.Supplement().Default(id)
}

// containers reads the amount of waste in containers.
func (d *decoder) containers(w *waste) {
	names := make([]string, 0, len(wasteContainers))
	for _, n := range wasteContainers {
		names = append(names, n.name)
	}
	w.Container, _ = d.Enum("container", names...)
	w.Containers, _ = d.Integer("containers", 1, 1_000_000)
	w.FillPercent = d.amount("fillPercent", hundred)
	d.RequireWith("container", "containers")
	d.RequireWith("containers", "container")
	d.RequireWith("fillPercent", "containers")
	if _, ok := w.density(); !ok && w.WeightKg == nil && w.DensityKgPerM3 == nil && (w.VolumeLitres != nil || w.Containers > 0) {
		d.Fault(apperr.Detail{Field: "densityKgPerM3", Code: fields.Required,
			Message: "densityKgPerM3 is required to convert the volume to weight, because no density of " + w.material() + " waste is published. Alternatively, give weightKg."})
	}
}

// volume returns the litres of the record: stated, or those of the containers.
func (c *calculation) volume(w *waste) (quantity, bool) {
	if w.VolumeLitres != nil {
		c.unused(w.Containers > 0, "containers", "volumeLitres decides; containers was not used.")
		return exactly(*w.VolumeLitres), true
	}
	for _, n := range wasteContainers {
		if n.name != w.Container {
			continue
		}
		d, ok := c.stand(n.row, "container")
		if !ok {
			return quantity{}, false
		}
		q := whole(w.Containers).by(d.Value)
		if w.FillPercent != nil {
			q = q.by(*w.FillPercent).times(1, 100)
		}
		return q, true
	}
	return quantity{}, false
}

// contained adds the litres of the containers of a record.
func (q *Chain) contained(w *waste) {
	for _, n := range wasteContainers {
		if d, ok := factors.Supplement().Default(n.row); ok && n.name == w.Container {
			q.count(w.Containers, "container", "containers")
			q.measure(&d.Value, "litre", "litres")
			q.percent(w.FillPercent, "full")
		}
	}
}

// byVolume weighs waste by its volume: by the density stated, else by the
// published one of its material.
func (c *calculation) byVolume(w *waste, e *entry) bool {
	litres, ok := c.volume(w)
	if !ok {
		c.unavailable(apperr.Detail{Field: "weightKg", Message: "The record has no amount. Give weightKg, volumeLitres, or container and containers."})
		return false
	}
	if w.DensityKgPerM3 != nil {
		// Litres to m³, and kg to tonnes.
		e.quantity = litres.perThousand().by(*w.DensityKgPerM3).perThousand()
		e.atBest = Calculated
		c.note(NoticeDensity, "volumeLitres", "The weight is volumeLitres × densityKgPerM3.")
		if w.VolumeLitres == nil {
			c.partFull(w)
		}
		return true
	}
	d, ok := w.density()
	if !ok {
		c.unavailable(missingRow("density."+w.material(), "densityKgPerM3"))
		return false
	}
	e.quantity = litres.perThousand().by(d.Value).perThousand()
	what := strings.TrimSpace(litres.String()) + " litres"
	c.note(NoticeContainers, "weightKg", "The weight is %s × %s kg/m³, the published density of %s. A weighbridge note would be better.", what, d.Value, d.Quantity)
	c.assume(NoticeContainers, "weightKg", spreadOf(d))
	c.least = Assumed
	if w.VolumeLitres == nil {
		c.partFull(w)
	}
	return true
}

// partFull widens the weight of containers whose filling level is not stated.
func (c *calculation) partFull(w *waste) {
	if w.FillPercent == nil {
		c.defaultTo("fillPercent")
		c.assume(NoticeContainers, "fillPercent", big.NewRat(10, 7))
	}
}
