package methodology

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// chosen lists the sets that a start date chooses for new events, or those that it
// does not.
func (p *page) chosen(by bool) string {
	var ids []string
	for _, s := range p.Sets {
		if got, _ := factors.ForStart(fmt.Sprintf("%d-01-01", s.Year)); (got.ID == s.ID) == by {
			ids = append(ids, "`"+s.ID+"`")
		}
	}
	return strings.Join(ids, ", ")
}

// Editions lists the sets that new events get.
func (p *page) Editions() string { return p.chosen(true) }

// Earlier lists the sets that events only adopt.
func (p *page) Earlier() string { return p.chosen(false) }

// SetNotice returns the notice of an event on a day (YYYY-MM-DD) with a set.
func (p *page) SetNotice(start, set, code string) (string, error) {
	n, ok := footprint.SetNotice(footprint.EventContext{StartDate: start, FactorSet: set})
	if !ok || n.Code != code {
		return "", fmt.Errorf("an event of %s on %s has no notice %s", start, set, code)
	}
	return "`" + n.Code + "`: " + n.Message, nil
}
