// Command generate converts the reference tables of towns, postcodes and detours
// into the image that libs/places embeds. It is run by go generate in
// libs/places; its test compares the output with the committed file.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/places"
)

func main() {
	if err := run(os.DirFS("source"), "."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(source fs.FS, target string) error {
	files, err := build(source)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(target, name), files[name], 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}

type row map[string]string

// build returns the generated files by their path relative to libs/places.
func build(source fs.FS) (map[string][]byte, error) {
	tables, err := load(source)
	if err != nil {
		return nil, err
	}
	image, err := buildImage(tables)
	if err != nil {
		return nil, err
	}
	journeys, err := buildJourneys(tables)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"image.txt.gz": image, "journeys.tsv": journeys}, nil
}

// load reads every file that SHA256SUMS names, after checking it.
func load(source fs.FS) (map[string][]row, error) {
	sums, err := fs.ReadFile(source, "SHA256SUMS")
	if err != nil {
		return nil, err
	}
	tables := make(map[string][]row)
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("SHA256SUMS has a line %q", line)
		}
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != sum {
			return nil, fmt.Errorf("%s is not the file that SHA256SUMS names", name)
		}
		if packed, ok := strings.CutSuffix(name, ".gz"); ok {
			name = packed
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if text, err = io.ReadAll(z); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if tables[strings.TrimSuffix(name, ".csv")], err = readCSV(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return tables, nil
}

func readCSV(text []byte) ([]row, error) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, err
	}
	out := make([]row, 0, len(records)-1)
	for _, record := range records[1:] {
		v := make(row, len(record))
		for i, name := range records[0] {
			if strings.ContainsAny(record[i], "\t\r\n") {
				return nil, fmt.Errorf("a cell of %s holds a tab or a line break", name)
			}
			v[name] = record[i]
		}
		out = append(out, v)
	}
	return out, nil
}

// index collects which places a name finds.
type index map[string][]int

func (x index) add(name string, place int) {
	key := places.Normalize(name)
	if key != "" && !slices.Contains(x[key], place) {
		x[key] = append(x[key], place)
	}
}

// regionIndex finds the largest town of each region of each country.
type regionIndex struct {
	found index
	seen  map[string]bool
}

func (x regionIndex) add(r row, place int) {
	key := r["country"] + "\t" + r["admin1_code"]
	if r["admin1_name"] == "" || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.found.add(r["admin1_name"], place)
}

// buildImage writes the sections that the package reads: the places in the order
// of their size, then for each kind of name which places it finds, sorted, and
// the postcode areas. Sections are separated by an empty line.
func buildImage(tables map[string][]row) ([]byte, error) {
	var out bytes.Buffer
	line := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	names := map[string]index{}
	for _, kind := range places.NameKinds() {
		names[kind] = index{}
	}
	further := map[string]string{}
	for _, r := range tables["further-names"] {
		further[r["geonames_id"]] = r["names"]
	}
	regions := regionIndex{found: names[places.ByRegion], seen: map[string]bool{}}
	number := 0
	for _, table := range []string{"places", "places-1000"} {
		rows := slices.Clone(tables[table])
		slices.SortStableFunc(rows, func(a, b row) int { return people(b) - people(a) })
		for _, r := range rows {
			main, other := places.ByName, places.ByOtherName
			switch {
			case r["kind"] == "district":
				main, other = places.ByDistrict, places.ByDistrict
			case table == "places-1000":
				main, other = places.BySmallName, places.BySmallOtherName
			}
			for _, cell := range []string{"lat", "lon"} {
				if _, err := decimal.Parse(r[cell]); err != nil {
					return nil, fmt.Errorf("%s: %s %q: %w", r["name"], cell, r[cell], err)
				}
			}
			line(r["geonames_id"], r["name"], r["country"], r["admin1_code"], r["admin1_name"], r["lat"], r["lon"],
				strconv.Itoa(people(r)), r["kind"], r["suggested_airport"], r["suggested_airport_km"])
			names[main].add(r["name"], number)
			names[main].add(r["ascii_name"], number)
			for alt := range strings.SplitSeq(r["alt_names"], "|") {
				names[other].add(alt, number)
			}
			for name := range strings.SplitSeq(further[r["geonames_id"]], "|") {
				names[places.ByFurtherName].add(name, number)
			}
			if main != places.ByDistrict {
				regions.add(r, number)
			}
			number++
		}
	}
	for _, kind := range places.NameKinds() {
		line()
		for _, name := range slices.Sorted(maps.Keys(names[kind])) {
			numbers := make([]string, 0, 1)
			for _, n := range names[kind][name] {
				numbers = append(numbers, strconv.Itoa(n))
			}
			line(name, strings.Join(numbers, " "))
		}
	}
	line()
	areas := slices.Clone(tables["postcode_areas"])
	key := func(r row) string {
		return r["country"] + " " + strings.ReplaceAll(strings.ToUpper(r["code_prefix"]), " ", "")
	}
	slices.SortFunc(areas, func(a, b row) int { return strings.Compare(key(a), key(b)) })
	for _, r := range areas {
		line(key(r), r["lat"], r["lon"], r["radius_km"], r["area_name"])
	}
	return compressed(out.Bytes())
}

func people(r row) int {
	n, err := strconv.Atoi(r["population"])
	if err != nil {
		return 0
	}
	return n
}

func compressed(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// buildJourneys writes the data of journeys other than towns.
func buildJourneys(tables map[string][]row) ([]byte, error) {
	var out bytes.Buffer
	line := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	for _, r := range tables["detour_factors"] {
		for _, cell := range []string{"value", "low", "high"} {
			if _, err := decimal.Parse(r[cell]); err != nil && r[cell] != "" {
				return nil, fmt.Errorf("%s: %s %q: %w", r["default_id"], cell, r[cell], err)
			}
		}
		if r["unit"] != "ratio" {
			continue // a constant to add: it is inside the factors of flights already
		}
		line("detour", r["default_id"], r["quantity"], r["detail"], r["value"], r["low"], r["high"], r["region"], r["year"],
			r["source"], r["source_location"], r["licence"])
	}
	for _, r := range tables["country_origins"] {
		line("origin", r["country"], r["origin_city"], r["lat"], r["lon"], r["weight"], r["suggested_airport"])
	}
	for _, r := range tables["home_airport_distance"] {
		line("homeAirport", r["country"], r["median_km_nearest_airport"])
	}
	for _, r := range tables["mode_split"] {
		if _, err := decimal.Parse(r["share"]); err != nil {
			return nil, fmt.Errorf("%s: share %q: %w", r["id"], r["share"], err)
		}
		line("mode", r["id"], r["region"], r["population"], r["km_from"], r["km_to"], r["mode"], r["share"], r["year"],
			r["source"], r["source_location"], r["licence"])
	}
	return out.Bytes(), nil
}
