package places

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// inward is the second half of a British postcode.
var inward = regexp.MustCompile(`^([A-Z]{1,2}[0-9][A-Z0-9]?)[0-9][A-Z]{2}$`)

var gaps = strings.NewReplacer(" ", "", "-", "")

// digitsOf is how many digits the postcodes of countries have that may begin with 0: a
// spreadsheet that takes 01067 for a number leaves 1067 of it. Areas are written with fewer.
var digitsOf = map[string]int{"DE": 5, "EE": 5, "ES": 5, "FI": 5, "FR": 5, "IT": 5, "KR": 5, "MX": 5, "TR": 5, "US": 5, "AU": 4, "NO": 4, "NZ": 4}

// Postcode returns the area of a postcode of a country: the longest prefix that
// the table holds. Of a British code it is the outward half, which must be held
// as it is, since BS1 is no part of BS16. A code that lacks its first 0 is read with it.
func Postcode(code, country string) (Place, bool) { return loaded().postcode(code, country) }

func (im *image) postcode(code, country string) (Place, bool) {
	code = strings.ToUpper(strings.TrimSpace(code))
	if country == "" || len(code) < 2 || len(code) > 12 || !strings.ContainsAny(code, "0123456789") && country != "IE" {
		return Place{}, false
	}
	if p, ok := strings.CutPrefix(code, country+"-"); ok {
		code = p
	}
	if country == "DE" || country == "FR" {
		code = strings.TrimPrefix(strings.TrimPrefix(code, "D-"), "F-")
	}
	outward, _, parted := strings.Cut(code, " ")
	compact := gaps.Replace(code)
	if len(compact) == digitsOf[country]-1 && strings.Trim(compact, "0123456789") == "" {
		compact = "0" + compact
	}
	least := 2
	if country == "GB" {
		if m := inward.FindStringSubmatch(compact); m != nil {
			outward = m[1]
		} else if !parted {
			outward = compact
		}
		compact, least = outward, len(outward)
	}
	for n := len(compact); n >= least && n > 0; n-- {
		if p, ok := im.area(country, compact[:n]); ok {
			return p, true
		}
	}
	return Place{}, false
}

func (im *image) area(country, code string) (Place, bool) {
	s := im.postcodes
	key := country + " " + code
	i := sort.Search(s.len(), func(i int) bool { return s.key(i) >= key })
	if i == s.len() || s.key(i) != key {
		return Place{}, false
	}
	c := strings.Split(s.line(i), "\t")
	if len(c) != 5 {
		return Place{}, false
	}
	p := Place{Name: code, Country: country, Region: c[4], Kind: "postcode", FoundBy: ByPostcode, number: -1}
	p.Latitude, _ = strconv.ParseFloat(c[1], 64)
	p.Longitude, _ = strconv.ParseFloat(c[2], 64)
	radius, _ := strconv.ParseFloat(c[3], 64)
	p.RadiusKm = int64(radius + 0.999)
	return p, true
}
