package footprint

import "slices"

// Further scope 3 categories that a record may state.
const (
	categoryCapital    = "2 Capital goods"
	categoryCommuting  = "7 Employee commuting"
	categoryDownstream = "9 Downstream transportation and distribution"
	categoryUse        = "11 Use of sold products"
	categoryEndOfLife  = "12 End-of-life treatment of sold products"
)

// statedCategories are those that a record of purchases or a custom one may
// state. Fuel- and energy-related activities follow from energy, leased assets
// from venues, and the other categories are of organisations, not of events.
var statedCategories = []string{categoryGoods, categoryCapital, categoryFreight, categoryWaste, categoryBusiness, categoryCommuting,
	categoryDownstream, categoryUse, categoryEndOfLife, CategoryOptional}

// StatedCategories returns the scope 3 categories that a record, or a supplier's
// factor, may state.
func StatedCategories() []string { return slices.Clone(statedCategories) }

// Traveller is the rule for journeys and stays of one group of people by engine
// 2.0.0.
type Traveller struct{ Group, Category, Reason string }

// Travellers returns the rule for all groups; the last is of records without one.
func Travellers() []Traveller { return slices.Clone(travellers[:]) }

var travellers = [...]Traveller{
	{"attendees", CategoryOptional, "They come on their own account; the Scope 3 Standard has no category for visitors."},
	{"exhibitors", CategoryOptional, "Theirs is the inventory of their own companies; the same holds for the goods, freight, waste and meals of exhibitors."},
	{"staff", categoryBusiness, "Employees of the reporting organisation on business."},
	{"speakers", categoryBusiness, "They travel at the invitation and cost of the organiser, as its staff does."},
	{"suppliers", categoryGoods, "Journeys of a supplier's people are part of the service that was bought."},
	{"other", CategoryOptional, "Nothing says that the organiser employs or pays them."},
	{GroupUnspecified, CategoryOptional, "Nothing says whose journey it was; name the group to have it counted as business travel."},
}

// travel returns the scope 3 category of travel and accommodation by group.
func (c *calculation) travel() string {
	if !c.second() {
		if c.group == "attendees" || c.group == "exhibitors" {
			return CategoryOptional
		}
		return categoryBusiness
	}
	for i := range travellers {
		if t := &travellers[i]; t.Group == c.group {
			return t.Category
		}
	}
	return CategoryOptional
}

// goodsCategory returns the category of goods, services, freight and waste: those of exhibitors are not the organiser's.
func (c *calculation) goodsCategory(category string) string {
	if c.second() && c.group == "exhibitors" && category != "" && category != categoryFuel && category != categoryLeased {
		return CategoryOptional
	}
	return category
}

// bought returns the category of a purchase.
func (c *calculation) bought(what string) string {
	switch what {
	case "flights", "accommodation", "ground-transport":
		return c.travel()
	case "freight":
		return categoryFreight
	case "waste":
		return categoryWaste
	}
	return categoryGoods
}

// scope3Category reads the category that a record states.
func (d *decoder) scope3Category() string {
	v, _ := d.Enum("scope3Category", statedCategories...)
	return v
}

// stated returns the applicable category: the stated one, from engine 2.0.0 on, else the given one.
func (c *calculation) stated(category, otherwise string) string {
	if category == "" {
		return otherwise
	}
	if !c.second() {
		c.note(NoticeInputNotUsed, "scope3Category", "The engine of the event does not use scope3Category; adopt a newer one.")
		return otherwise
	}
	return category
}

// categoryKnown reports whether stored fields have a category that may be stated.
func categoryKnown(category string) bool {
	return category == "" || slices.Contains(statedCategories, category)
}

const scope3CategoryText = "Category of the GHG Protocol's Scope 3 Standard. Absent: the usual category for such records. Used from engine 2.0.0 on."
