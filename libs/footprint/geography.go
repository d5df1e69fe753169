package footprint

import (
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/locations"
)

// proxy returns the geography score of a UK factor used in a country, and adds a notice outside the UK.
func (c *calculation) proxy(country string) uint8 {
	c.place = country
	if country == "GB" {
		return 1
	}
	if country == "" {
		c.note(NoticeProxy, "country", "No country is named; a UK factor stands in.")
	} else {
		c.note(NoticeProxy, "country", "A UK factor stands in for %s.", country)
	}
	return 5
}

// standsIn returns the geography score of a factor of the edition in a country: a national row of a pack states its
// country, all others are of the UK.
func (c *calculation) standsIn(f *factors.Factor, country string) uint8 {
	if c.engine.set.National(f) {
		return c.foreign(f, country)
	}
	return c.proxy(country)
}

// foreign returns the geography score of a factor of one country used in another, and adds a notice.
func (c *calculation) foreign(f *factors.Factor, country string) uint8 {
	c.place = country
	switch {
	case f.Region == "GB" || f.Region == "UK":
		return c.proxy(country)
	case f.Region == country:
		return 1
	}
	switch {
	case c.quiet:
		c.note(NoticeFactorRegion, "country", "")
	case country == "":
		c.note(NoticeFactorRegion, "country", "No country is named; the factor %s is of %s.", f.ID, f.Region)
	default:
		c.note(NoticeFactorRegion, "country", "No factor is held for %s; %s of %s stands in.", country, f.ID, f.Region)
	}
	if country == "" {
		return 5
	}
	here, _ := locations.CountryByCode(country)
	there, _ := locations.CountryByCode(f.Region)
	if here.Region != "" && here.Region == there.Region {
		return 2
	}
	return 3
}
