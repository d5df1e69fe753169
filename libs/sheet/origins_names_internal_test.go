package sheet

import "testing"

// TestNamesAndNumbersOfPeople: what is no exact number of people is not taken for a name, in any language.
func TestNamesAndNumbersOfPeople(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{
		"12 Pers.", "1.2k", "15 (tbc)", "more than 20", "min. 5", "ca. 30", "50 bis 60", "20 oder 25", "jusqu'à 40", "fino a 12", "hasta 30 asistentes", "meer dan 100 bezoekers",
		"mindestens 8 Teilnehmende", "n/a", "k.A.", "TBC", "ponad 30 osób", "10 à 12", "upp till 15 deltagare", "24", "50-60", "> 10", "20+",
	} {
		if isName(cell) {
			t.Errorf("%q is taken for a name", cell)
		}
	}
	for _, cell := range []string{"Ada Webb", "Ada Webb 2", "Stand 12 Ltd", "3M Deutschland", "4 Seasons Hotel", "Over the Top", "A. Bis", "Webb, Ada (tbc)"} {
		if !isName(cell) {
			t.Errorf("%q is not taken for a name", cell)
		}
	}
}
