package main

import (
	"bytes"
	"fmt"
	"strings"
)

// buildPlaces writes airports, city codes and the haul table as tab-separated
// lines.
func buildPlaces(tables map[string][]row) ([]byte, error) {
	var out bytes.Buffer
	line := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	known := make(map[string]bool)
	for _, r := range tables["airports"] {
		if known[r["iata"]] {
			return nil, fmt.Errorf("airport %s occurs twice", r["iata"])
		}
		known[r["iata"]] = true
		large := ""
		if r["type"] == "large_airport" {
			large = "large"
		}
		line("airport", r["iata"], r["icao"], r["name"], r["municipality"], r["iso_country"], r["lat"], r["lon"], large)
	}
	for _, r := range tables["metro-codes"] {
		if !known[r["primary_airport"]] {
			return nil, fmt.Errorf("city code %s stands for the unknown airport %s", r["metro_code"], r["primary_airport"])
		}
		line("city", r["metro_code"], r["name"], r["iso_country"], r["primary_airport"])
	}
	for _, r := range tables["desnz-haul-definition"] {
		line("haul", r["iso2"], r["haul_relative_to_uk"])
	}
	return out.Bytes(), nil
}
