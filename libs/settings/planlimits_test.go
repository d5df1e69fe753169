package settings_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/settings"
)

func TestPlanLimits(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", " , ": "",
		"free.rowsPerImport=10, free.openImports=0":                     "free.openImports=0,free.rowsPerImport=10",
		"v1.2.recordsPerEvent=7,team.recordsPerOrganization=2147483647": "team.recordsPerOrganization=2147483647,v1.2.recordsPerEvent=7",
		"free.rowsPerImport=1,free.rowsPerImport=2":                     "names free.rowsPerImport twice",
		"free.rowsPerImport=-1":                                         "no whole number for free.rowsPerImport",
		"free.rowsPerImport":                                            "no whole number for free.rowsPerImport",
		"free.rowsPerImport=2147483648":                                 "no whole number for free.rowsPerImport",
		"free.rows=1":                                                   "which is none of rowsPerImport, openImports",
		"rowsPerImport=1":                                               "must be a list such as",
		".rowsPerImport=1":                                              "must be a list such as",
	} {
		p, err := settings.ParsePlanLimits(in)
		if err != nil {
			if !strings.Contains(err.Error(), want) || want == "" {
				t.Errorf("%q: %v, want %q", in, err, want)
			}
			continue
		}
		if got := p.String(); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	p, err := settings.ParsePlanLimits("free.openImports=1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckPlans(settings.Quotas{"free": 3}); err != nil {
		t.Error(err)
	}
	if err := p.CheckPlans(settings.Quotas{"team": 3}); err == nil {
		t.Error("a limit of a plan that there is not was taken")
	}
}
