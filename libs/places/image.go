package places

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// The kinds of names, in the order of the sections of the image.
const (
	ByName           = "name"             // of a town of 5,000 people and more
	ByOtherName      = "otherName"        // an alternative name of such a town
	BySmallName      = "smallTown"        // of a town of 1,000 to 4,999 people
	BySmallOtherName = "smallTownOther"   // an alternative name of such a town
	ByRegion         = "region"           // of a region: it finds the region's largest town
	ByDistrict       = "district"         // of a district of a city
	ByFurtherName    = "furtherName"      // a name of a town of 15,000 people and more in another language or script
	ByPostcode       = "postcode"         // of an area of postcodes
	ByCountryCentre  = "countryPopulated" // the population of a country, represented by its largest towns
)

// NameKinds returns the kinds of names that have a section in the image, in
// its order.
func NameKinds() []string {
	return []string{ByName, ByOtherName, BySmallName, BySmallOtherName, ByRegion, ByDistrict, ByFurtherName}
}

//go:embed image.txt.gz
var packed []byte

// section is a sorted table of lines "key\tvalue".
type section struct {
	text string
	at   []int32 // the start of each line, and the end of the text
}

func newSection(text string) section {
	s := section{text: text, at: make([]int32, 1, strings.Count(text, "\n")+1)}
	for i := range len(text) {
		if text[i] == '\n' {
			s.at = append(s.at, int32(i+1))
		}
	}
	return s
}

func (s *section) len() int { return len(s.at) - 1 }

// line returns the cells of a line without its line break.
func (s *section) line(i int) string { return s.text[s.at[i] : s.at[i+1]-1] }

func (s *section) key(i int) string {
	key, _, _ := strings.Cut(s.line(i), "\t")
	return key
}

// find returns the value of a key.
func (s *section) find(key string) (string, bool) {
	i, ok := sort.Find(s.len(), func(i int) int { return strings.Compare(key, s.key(i)) })
	if !ok {
		return "", false
	}
	_, value, _ := strings.Cut(s.line(i), "\t")
	return value, true
}

type image struct {
	places    section
	names     map[string]section
	postcodes section
}

// loaded parses the image at its first use. Tests parse all of it; an image that cannot be parsed finds nothing.
var loaded = sync.OnceValue(func() *image {
	im := &image{names: make(map[string]section)}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return im
	}
	var text strings.Builder
	// A gzip file ends with its uncompressed size: a larger buffer would be retained with the text.
	if n := len(packed); n >= 4 {
		text.Grow(int(binary.LittleEndian.Uint32(packed[n-4:])))
	}
	if _, err := io.Copy(&text, z); err != nil { //nolint:gosec // our own file, built in
		return im
	}
	sections := sectionsOf(text.String())
	kinds := NameKinds()
	if len(sections) != len(kinds)+2 {
		return im
	}
	im.places = newSection(sections[0])
	for i, kind := range kinds {
		im.names[kind] = newSection(sections[i+1])
	}
	im.postcodes = newSection(sections[len(sections)-1])
	return im
})

// sectionsOf divides a text at its empty lines. Each section includes the end of its last line, and is a substring: a
// copy would keep the whole register in memory twice.
func sectionsOf(text string) (sections []string) {
	for {
		end := strings.Index(text, "\n\n")
		if end < 0 {
			return append(sections, text)
		}
		sections, text = append(sections, text[:end+1]), text[end+2:]
	}
}

// place reads a line of the places.
func (im *image) place(number int) Place {
	if number < 0 || number >= im.places.len() {
		return Place{}
	}
	c := strings.Split(im.places.line(number), "\t")
	if len(c) != 11 {
		return Place{}
	}
	p := Place{Name: c[1], Country: c[2], RegionCode: c[3], Region: c[4], Kind: c[8], Airport: c[9], number: number}
	// The generator has checked the figures.
	p.ID, _ = strconv.ParseInt(c[0], 10, 64)
	p.Latitude, _ = strconv.ParseFloat(c[5], 64)
	p.Longitude, _ = strconv.ParseFloat(c[6], 64)
	p.Population, _ = strconv.ParseInt(c[7], 10, 64)
	p.AirportKm, _ = strconv.ParseInt(c[10], 10, 64)
	return p
}

// named returns the places that a name of a kind finds, the largest first.
func (im *image) named(kind, key string) []Place {
	s := im.names[kind]
	value, ok := s.find(key)
	if !ok {
		return nil
	}
	var out []Place
	for text := range strings.FieldsSeq(value) {
		if n, err := strconv.Atoi(text); err == nil {
			p := im.place(n)
			p.FoundBy = kind
			out = append(out, p)
		}
	}
	return out
}
