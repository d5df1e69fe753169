package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestMaterials(t *testing.T) {
	t.Parallel()
	figures(t, "materials", map[string]string{
		// 0.25 t × 1050.0779
		`{"material":"paper","source":"recycled","weightKg":250}`: "262.519475",
		// and 0.25 × 4.65358 for its recycling
		`{"material":"paper","source":"recycled","weightKg":250,"endOfLife":"recycling"}`: "263.682870",
		`{"material":"carpet","areaM2":1200}`:                                             "11760.000000",
		`{"material":"carpet","areaM2":1200,"gramsPerM2":1000}`:                           "4680.000000",
		// 900 ÷ 40 × 12.79
		`{"material":"aluminium","source":"hired","weightKg":900,"usesOverLife":40}`: "287.775000",
		`{"material":"tshirt_cotton","items":300}`:                                   "1560.000000",
		// 10 m² of 510 g are 0.0051 t × 2944.75615
		`{"material":"pvc","areaM2":10,"gramsPerM2":510}`:         "15.018256",
		`{"material":"wood","source":"reused","weightKg":1000}`:   "38.542880",
		`{"material":"steel","source":"recycled","weightKg":100}`: "47.000000",
		// Clothing has a row of 2026.
		`{"material":"clothing","weightKg":100}`: "2231.000000",
	})
	for body, want := range map[string][]string{
		`{"material":"board","weightKg":1}`:                        {"3 1 Purchased goods and services"},
		`{"material":"board","weightKg":1,"endOfLife":"landfill"}`: {"3 1 Purchased goods and services", "3 5 Waste generated in operations"},
	} {
		if got := scopesOf(t, "materials", body); !slices.Equal(got, want) {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func TestMaterialsNotices(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"material":"clothing","weightKg":1,"source":"virgin"}`:                                 nil,
		`{"material":"paper","weightKg":1,"source":"virgin"}`:                                    {footprint.NoticeFactorYear},
		`{"material":"paper","weightKg":1,"source":"virgin","endOfLife":"composting"}`:           {footprint.NoticeFactorYear, footprint.NoticeTransportOnly},
		`{"material":"carpet","areaM2":1,"source":"virgin","country":"FR"}`:                      {footprint.NoticeCradleToGrave, footprint.NoticeProxy},
		`{"material":"carpet_wool","weightKg":1,"source":"virgin"}`:                              {footprint.NoticeCradleToGrave},
		`{"material":"tshirt_cotton","items":2,"weightKg":1,"source":"virgin"}`:                  {footprint.NoticeInputNotUsed, footprint.NoticeFactorRegion},
		`{"material":"wood","weightKg":1,"areaM2":2,"gramsPerM2":3,"items":1,"source":"virgin"}`: {footprint.NoticeInputNotUsed, footprint.NoticeInputNotUsed, footprint.NoticeFactorYear},
	} {
		e := evaluate(t, "materials", body, london)
		var got []string
		for _, n := range e.Notices {
			got = append(got, n.Code)
		}
		if !slices.Equal(got, want) || len(e.Defaulted) != 0 {
			t.Errorf("%s: %v %v", body, got, e.Defaulted)
		}
	}
	// A factor of 2011 for an event of 2026 is 15 years old.
	if e := evaluate(t, "materials", `{"material":"mdf","weightKg":1}`, london); e.Lines[0].Scores[2] != 5 || !slices.Equal(e.Defaulted, []string{"source"}) {
		t.Errorf("%v %v", e.Lines[0].Scores, e.Defaulted)
	}
	if w, ok := footprint.WasteOf("pvc"); !ok || w != "plastic" {
		t.Errorf("pvc is %s to waste", w)
	}
	if w, ok := footprint.WasteOf("carpet_wool"); !ok || w != "textile" {
		t.Errorf("carpet is %s to waste", w)
	}
	if _, ok := footprint.WasteOf("paint"); ok {
		t.Error("waste records have no paint")
	}
}

func TestMaterialsFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{}`: {"material REQUIRED", "weightKg REQUIRED"},
		`{"material":"unobtainium","weightKg":-1}`:                                                  {"material NOT_ALLOWED", "weightKg OUT_OF_RANGE"},
		`{"material":"board","areaM2":1}`:                                                           {"gramsPerM2 REQUIRED"},
		`{"material":"board","items":1}`:                                                            {"weightKg REQUIRED"},
		`{"material":"tshirt_cotton","weightKg":1}`:                                                 {"weightKg FACTOR_UNAVAILABLE"},
		`{"material":"carpet","areaM2":1,"source":"recycled"}`:                                      {"source FACTOR_UNAVAILABLE"},
		`{"material":"wood","weightKg":1,"source":"recycled"}`:                                      {"source FACTOR_UNAVAILABLE"},
		`{"material":"soils","weightKg":1}`:                                                         {"source FACTOR_UNAVAILABLE"},
		`{"material":"wood","weightKg":1,"usesOverLife":4}`:                                         {"usesOverLife NOT_ALLOWED"},
		`{"material":"wood","weightKg":1,"source":"hired","usesOverLife":4,"endOfLife":"landfill"}`: {"endOfLife NOT_ALLOWED"},
		`{"material":"wood","weightKg":1,"endOfLife":"reuse"}`:                                      {"endOfLife FACTOR_UNAVAILABLE"},
		`{"material":"carpet","areaM2":1,"endOfLife":"landfill"}`:                                   {"endOfLife FACTOR_UNAVAILABLE"},
	} {
		if got := faults(t, "materials", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	for body, want := range map[string][]string{
		`{"material":"wood","weightKg":1,"source":"recycled"}`: {"virgin", "reused"},
		`{"material":"soils","weightKg":1}`:                    {"recycled"},
	} {
		if got := suggestions(t, "materials", body, "source"); !slices.Equal(got, want) {
			t.Errorf("%s suggests %v", body, got)
		}
	}
}
