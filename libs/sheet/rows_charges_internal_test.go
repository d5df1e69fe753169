package sheet

import "testing"

// TestCharges: lines of invoices that charge for something beside what the records are, and those that only look like it.
func TestCharges(t *testing.T) {
	t.Parallel()
	for typ, c := range map[string]struct{ charges, records []string }{
		"flights": {
			[]string{"EMD", "EMD-A", "EMDS", "Seat", "Seat selection", "Extra legroom seat", "Checked bag 23 kg", "Excess baggage", "Service fee", "Change fee", "Ticket fee", "Umbuchungsgebühr", "Servicegebühr", "Sitzplatzreservierung", "Gepäck", "Übergepäck", "Ancillary", "Lounge access", "Carbon offset", "ADM", "MCO", "Taxes"},
			[]string{"", "TKT", "Ticket", "Air", "Flight LHR-JFK", "Flight + bag", "Economy fare incl. seat", "Business seat in economy class", "Flug mit Gepäck", "Speaker travel, fee waived", "Hinflug", "Sale", "British Airways", "Keynote speaker", "Seat of the board of the association in Berlin, all members"},
		},
		"ground-transport": {
			[]string{"Seat reservation", "Booking fee", "BahnCard 50", "Sitzplatzreservierung", "Reservierung", "Reservierungsentgelt", "Railcard"},
			[]string{"Anytime Return", "Fahrkarte Flexpreis", "Fahrkarte mit Reservierung", "ICE 577", "Off-Peak Single", "Taxi"},
		},
		"accommodation": {
			[]string{"City tax", "Breakfast", "Frühstück", "Kurtaxe", "Parkplatz", "Minibar", "Beherbergungssteuer", "Single room supplement", "Kulturabgabe", "Tourism levy"},
			[]string{"Room charge", "Room incl. breakfast", "Übernachtung", "Zimmer mit Frühstück", "Doppelzimmer", "Bed and breakfast", "Hilton", "Logis"},
		},
		"energy": {
			[]string{"Stromsteuer", "Netzentgelt", "Konzessionsabgabe", "KWKG-Umlage", "Standing charge", "Climate change levy", "Grundpreis", "Messstellenbetrieb", "VAT"},
			[]string{"Arbeitspreis", "Verbrauch HT", "Unit charge", "Day units", "Main hall", "Consumption excl. VAT", "Generator stage"},
		},
		"catering": {
			[]string{"Service charge fee", "Linen hire", "Waiting staff", "Delivery", "Anfahrt", "Geschirrmiete", "Servicepersonal", "Cleaning"},
			[]string{"Lunch buffet", "Staff lunch", "Mittagessen", "Tagungspauschale", "Vegan menu", "Fingerfood", "Lunch delivery"},
		},
		"freight":   {[]string{"Maut", "Fuel surcharge", "Dieselzuschlag", "Handling fee", "THC"}, []string{"Gift vouchers", "Storage boxes", "Diesel generator", "Stage", "Fracht", "Insurance documents"}},
		"materials": {nil, []string{"Fee", "Seat"}},
	} {
		for _, text := range c.charges {
			if !isCharge(typ, text) || !isOnlyCharge(typ, text) {
				t.Errorf("%s: %q is a charge, also where people write freely", typ, text)
			}
		}
		for _, text := range c.records {
			if isCharge(typ, text) {
				t.Errorf("%s: %q is no charge", typ, text)
			}
		}
	}
	for typ, texts := range map[string][]string{
		"flights":       {"Prof. Tip O'Neill", "Tax law conference delegates", "Insurance team", "Seat holders", "Board of the Tax Foundation", "Team Versicherung"},
		"accommodation": {"Hotel zur Steuer", "Motel Bar", "Restaurant Krone", "Garage Inn", "Spa Resort"},
		"energy":        {"Tax office event", "Messung Halle 3", "Tips and tricks stand"},
		"freight":       {"Toll booth props", "Fee envelopes"},
		"catering":      {"Staff canteen", "Delivery drivers"},
	} {
		for _, text := range texts {
			if isOnlyCharge(typ, text) {
				t.Errorf("%s: %q is no charge alone", typ, text)
			}
		}
	}
}
