package sheet_test

import "testing"

// TestRoomsByKind: hotels write how many single and double rooms there are, and the record has all of them.
func TestRoomsByKind(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"in German": {"accommodation", "Hotel;Anreise;Abreise;EZ;DZ\nMaritim;12.05.2026;14.05.2026;20;5\nMotel One;12.05.2026;14.05.2026;;12\nIbis;12.05.2026;14.05.2026;0;0\nHilton;12.05.2026;14.05.2026;-;\n", []string{
			`2 {"description":"Maritim","nights":2,"rooms":25}`, `3 {"description":"Motel One","nights":2,"rooms":12}`, "4 DZ ROW_NOT_COUNTED", `5 {"description":"Hilton","nights":2}`}},
		"in words":                {"accommodation", "Hotel;Nächte;Einzelzimmer;Anzahl Doppelzimmer;Preis\nMaritim;2;20;5;4.200,00\n", []string{`2 {"description":"Maritim","nights":2,"rooms":25}`}},
		"in English":              {"accommodation", "Hotel,Check-in,Check-out,Singles,Double rooms,Twins,Suite\nHilton,2026-05-12,2026-05-14,20,5,3,1\n", []string{`2 {"description":"Hilton","nights":2,"rooms":29}`}},
		"below a group":           {"accommodation", "Hotel,Nights,Rooms,\n,,SGL,DBL\nHilton,2,20,5\n", []string{`3 {"description":"Hilton","nights":2,"rooms":25}`}},
		"in French":               {"accommodation", "Hotel;Nights;Chambres simples;Chambres doubles\nMercure;2;20;5\n", []string{`2 {"description":"Mercure","nights":2,"rooms":25}`}},
		"prices":                  {"accommodation", "Hotel,Nights,Guests,Single,Double\nHilton,2,30,89,119\nHilton,2,30,89.00,119.00\nHilton,2,30,20,5\n", []string{"2 Double NOT_ALLOWED", "3 Single BAD_FORMAT", `4 {"description":"Hilton","nights":2,"guests":30,"rooms":25}`}},
		"prices beside rooms":     {"accommodation", "Hotel,Nights,Rooms,Single,Double\nHilton,2,30,89,119\n", []string{`2 {"description":"Hilton","nights":2,"rooms":30}`}},
		"marks of a list":         {"accommodation", "Guest,Nights,Single,Double\nWebb,2,x,\n", []string{"2 Single BAD_FORMAT"}},
		"a number of room":        {"accommodation", "Room no.,Guest,Nights,Single,Double\n214,Webb,2,x,\n", []string{`2 {"nights":2,"rooms":1}`}},
		"nights of all the rooms": {"accommodation", "Hotel,Room nights,EZ,DZ\nHilton,50,20,5\n", []string{`2 {"description":"Hilton","rooms":25,"nights":2}`}},
	})
}

// TestMealsByTheirKind: caterers write how many breakfasts, lunches and dinners there were.
func TestMealsByTheirKind(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"in English": {"catering", "Date,Breakfast,Lunch,Dinner,Diet\n2026-05-12,80,120,110,vegetarian\n2026-05-13,80,,0,vegan\n2026-05-14,,90,,mixed\n2026-05-15,0,0,,mixed\n2026-05-16,,,,mixed\n", []string{
			`2 {"date":"2026-05-12","diet":"vegetarian","meals":230,"servings":{"breakfast":80}}`, `3 {"date":"2026-05-13","servings":{"breakfast_vegan":80}}`,
			`4 {"date":"2026-05-14","diet":"mixed","meals":90,"mealType":"lunch"}`, "5 Lunch ROW_NOT_COUNTED", `6 {"date":"2026-05-16","diet":"mixed"}`}},
		"in German":        {"catering", "Tag;Frühstück;Mittagessen;Abendessen (Personen);Kostform\n12.05.2026;;120;110;mixed\n", []string{`2 {"diet":"mixed","meals":230}`}},
		"with their sum":   {"catering", "Meals,Lunch,Dinner,Diet\n230,120,110,vegan\n240,120,110,vegan\n", []string{`2 {"diet":"vegan","meals":230}`, "3 Dinner NOT_ALLOWED"}},
		"with all of them": {"catering", "Meals,Breakfast,Lunch,Diet\n200,80,120,mixed\n", []string{`2 {"diet":"mixed","meals":120,"mealType":"lunch","servings":{"breakfast":80}}`}},
		"that are chosen":  {"catering", "Name,Lunch,Dinner,Diet\nWebb,yes,no,vegan\n", []string{"2 Lunch BAD_FORMAT"}},
		"and servings":     {"catering", "Breakfast,Lunch,Diet,servings\n80,1,vegan,\"{\"\"coffee\"\":9}\"\n", []string{"2 Lunch SEVERAL_RECORDS"}},
		"of several diets": {"catering", "Lunch,Vegan,Vegetarian\n120,40,80\n", []string{"2 Vegan SEVERAL_RECORDS"}},
		"with their kind":  {"catering", "Meals,Meal type,Diet,Lunch\n80,dinner,vegan,x\n", []string{`2 {"meals":80,"mealType":"dinner","diet":"vegan"}`}},
	})
	one, fault := kilograms(t, "catering", "Breakfast,Lunch,Dinner,Diet\n80,120,110,vegan\n")
	early, other := kilograms(t, "catering", "meals,diet,mealType\n80,vegan,breakfast\n")
	late, another := kilograms(t, "catering", "meals,diet\n230,vegan\n")
	if fault != nil || other != nil || another != nil || one-early-late > 1e-6 || early+late-one > 1e-6 {
		t.Errorf("%v kg, %+v; %v and %v kg, %+v, %+v", one, fault, early, late, other, another)
	}
}
