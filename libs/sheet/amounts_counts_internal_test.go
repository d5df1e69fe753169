package sheet

import (
	"strings"
	"testing"
)

func TestHeadsOfCounts(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]counting{
		"Days": ofDay, "Number of days": ofDay, "No. of days": ofDay, "Anzahl Tage": ofDay, "Trips": ofTrip, "Trip": "", "Number of trips": ofTrip, "Anzahl Fahrten": ofTrip,
		"Anzahl LKW": ofVehicle, "Trucks": ofVehicle, "Qty": ofPiece, "Menge (Stück)": ofPiece, "Stück": ofPiece, "No": "", "Nr.": "", "Number": "", "Hours per day": "", "Meals each": "",
		"Leerungen": ofCollection, "Anzahl Behälter": ofContainer, "Flaschen": ofBottle, "Hours": ofHour, "Betriebsstunden": ofHour, "Personen": ofPerson, "Rental days": "", "Date": "",
	} {
		if got := countOf(head); got != want {
			t.Errorf("%s counts %q, want %q", head, got, want)
		}
	}
}

func TestHeadsOfEach(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]struct {
		stem string
		of   counting
	}{
		"Weight per pallet (kg)": {"Weight (kg)", ofPallet}, "Gewicht pro Palette (kg)": {"Gewicht (kg)", ofPallet}, "Weight (kg) per truck": {"Weight (kg)", ofVehicle},
		"Weight (per pallet)": {"Weight", ofPallet}, "Hours per day": {"Hours", ofDay}, "Stunden/Tag": {"Stunden", ofDay}, "Verbrauch (l/h)": {"Verbrauch (l)", ofHour}, "kWh/day": {"kWh", ofDay},
		"Unit weight (kg)": {"weight (kg)", ofPiece}, "Einzelgewicht (kg)": {"gewicht (kg)", ofPiece}, "Stückpreis": {"preis", ofPiece}, "Weight each (kg)": {"Weight (kg)", ofPiece}, "Weight (each)": {"weight", ofPiece},
		"Weight (kg) each": {"Weight (kg)", ofPiece}, "Bin size (litres)": {"amount (litres)", ofContainer}, "Behältergröße (l)": {"amount (l)", ofContainer}, "Tonnes per trip": {"Tonnes", ofTrip},
		"Cylinder size (kg)": {"amount (kg)", ofBottle}, "Bin size": {}, "Unit": {}, "Stück": {}, "Price per kWh": {}, "l/100 km": {}, "Litres per day per generator": {}, "Container weight (kg)": {}, "Stückzahl": {"zahl", ofPiece}, "Weight per tonne": {},
	} {
		stem, of, ok := eachOf(head)
		if !ok {
			stem, of = "", ""
		}
		if !strings.EqualFold(stem, want.stem) || of != want.of {
			t.Errorf("%s is %q of each %q, want %q of %q", head, stem, of, want.stem, want.of)
		}
	}
}
