package factors_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// TestSupplementIsPinned holds the supplement to what it was when published:
// results name its rows.
func TestSupplementIsPinned(t *testing.T) {
	t.Parallel()
	s := factors.Supplement()
	const want = "4606af341b557ad926dbda49c5ed78e571c58a1007882b111015f5ac9b5a7929"
	if s.ID != "intake-2026" || s.Checksum != want {
		t.Errorf("%s has the checksum %s", s.ID, s.Checksum)
	}
	for _, set := range factors.Sets() {
		if set.ID == s.ID {
			t.Error("the supplement can be adopted as a set")
		}
	}
}

// TestSupplementRows holds that each row says where it is from, has a range
// around its figure, and is in no edition.
func TestSupplementRows(t *testing.T) {
	t.Parallel()
	s := factors.Supplement()
	if len(s.Factors()) < 1600 {
		t.Fatalf("%d rows", len(s.Factors()))
	}
	for _, f := range s.Factors() {
		if f.Unit == "" || f.Region == "" || f.Source == "" || f.SourceLocation == "" || f.Licence == "" {
			t.Errorf("%s lacks a part of its origin: %+v", f.ID, f)
		}
		if f.Low.Published && (f.Low.Decimal.Cmp(f.KgCO2e) > 0 || f.High.Decimal.Cmp(f.KgCO2e) < 0) {
			t.Errorf("%s is %v and has the range %v to %v", f.ID, f.KgCO2e, f.Low.Decimal, f.High.Decimal)
		}
		for _, set := range factors.Sets() {
			if set.Ref(f.Series) != nil {
				t.Errorf("%s is a row of %s too", f.ID, set.ID)
			}
		}
		if got, ok := factors.Sets()[0].Factor(f.ID); !ok || got != f {
			t.Errorf("an edition does not find %s", f.ID)
		}
	}
}

func TestSupplementFigures(t *testing.T) {
	t.Parallel()
	s := factors.Supplement()
	for id, want := range map[string]string{
		"food.breakfast.average": "0.593",
		"drink.wine.bottle":      "0.95147", "spend.uk.77.2023": "0.129773", "spend.uk.49_3_5.2023": "0.574881", "spend.us.532490": "0.106", "acc.rental.room_night.au": "8.33",
	} {
		f, ok := s.Lookup(id)
		if !ok || f.KgCO2e.String() != want {
			t.Errorf("%s is %v, want %s", id, f.KgCO2e, want)
		}
	}
	for id, want := range map[string][3]string{
		"gen.load.default": {"0.35", "0.15", "0.75"}, "bin.wheelie.240": {"240", "", ""}, "density.mixed_recycling": {"34.4", "22.9", "51.6"},
		"weight.pvc_foam_board.5mm": {"2750", "2500", "3500"}, "gen.diesel.80kw.50": {"", "", ""}, "choice.coach.passengers": {"24.5", "12.25", "49"},
	} {
		d, ok := s.Default(id)
		if want[0] == "" {
			continue
		}
		if !ok || d.Value.String() != want[0] || text(d.Low) != want[1] || text(d.High) != want[2] || d.Source == "" {
			t.Errorf("%s is %+v", id, d)
		}
	}
}

func text(v factors.Value) string {
	if !v.Published {
		return ""
	}
	return v.Decimal.String()
}

// TestChoicesSaySo holds that what has no source says that it is a choice, and
// that its range is wide.
func TestChoicesSaySo(t *testing.T) {
	t.Parallel()
	s := factors.Supplement()
	for _, id := range []string{"choice.coach.passengers", "choice.snack.serving", "choice.pastry.serving", "choice.lanyard.grams", "choice.rental.guests_per_room", "choice.hired.uses"} {
		d, ok := s.Default(id)
		ratio := func(a, b decimal.Decimal) float64 {
			return float64(a.Coefficient()) / float64(b.Coefficient()) * pow(b.Scale()-a.Scale())
		}
		if !ok || !strings.HasPrefix(d.Detail, "CHOICE") || ratio(d.High.Decimal, d.Low.Decimal) < 2.5 {
			t.Errorf("%s: %+v", id, d)
		}
	}
}

func pow(n int) float64 {
	v := 1.0
	for ; n > 0; n-- {
		v *= 10
	}
	for ; n < 0; n++ {
		v /= 10
	}
	return v
}

// TestCorrectionsArePinned holds the table of corrections to what it was when
// published: results name its rows. Each row is of a row that a set holds.
func TestCorrectionsArePinned(t *testing.T) {
	t.Parallel()
	s := factors.Corrections()
	const want = "b00eca3d37729898a93d470408ea5cf8c4cc3b7b783556a99a669ecfda6b3f36"
	if s.ID != "corrections-2026" || s.Checksum != want {
		t.Errorf("%s has the checksum %s", s.ID, s.Checksum)
	}
	kinds := map[bool]int{}
	for _, f := range s.Factors() {
		of, upstream := strings.CutSuffix(f.Series, ".upstream")
		kinds[upstream]++
		held := false
		for _, set := range factors.Sets() {
			_, ok := set.Factor(of)
			held = held || ok
		}
		if !held || f.KgCO2e.Sign() <= 0 || f.Source == "" || f.SourceLocation == "" || f.Licence == "" || f.Year == 0 {
			t.Errorf("%s corrects %s: %+v", f.ID, of, f)
		}
	}
	if kinds[false] != 38 || kinds[true] != 27 {
		t.Errorf("rows of corrections and of upstream parts: %v", kinds)
	}
}
