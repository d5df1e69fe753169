package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/schema"
)

func TestCheckRefusesOnlyWhatTheProgramCannotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stored  schema.Stored
		newest  int
		refused bool
		pending bool
	}{
		"empty":                         {schema.Stored{}, 3, false, true},
		"older":                         {schema.Stored{Version: 2, MinReader: 1}, 3, false, true},
		"current":                       {schema.Stored{Version: 3, MinReader: 3}, 3, false, false},
		"newer, readable":               {schema.Stored{Version: 5, MinReader: 3}, 3, false, false},
		"newer, needs a newer program":  {schema.Stored{Version: 5, MinReader: 4}, 3, true, false},
		"much newer, even older reader": {schema.Stored{Version: 9, MinReader: 1}, 3, false, false},
	} {
		s := schema.Status{Component: "records", Stored: c.stored, Needed: c.newest, Newest: c.newest}
		err := schema.Check([]schema.Status{s})
		if errors.Is(err, schema.ErrNewer) != c.refused {
			t.Errorf("%s: Check: %v, want refused %t", name, err, c.refused)
		}
		if c.refused && !strings.Contains(err.Error(), `"records" has schema version 5, which needs a release that knows version 4`) {
			t.Errorf("%s: the error does not name component and versions: %v", name, err)
		}
		if got := schema.Pending([]schema.Status{s}); got != c.pending {
			t.Errorf("%s: Pending %t, want %t", name, got, c.pending)
		}
	}
}

func TestContractsWaitUnlessSomethingIsNeededAfterThem(t *testing.T) {
	t.Parallel()
	plain, contract := schema.Step[int]{MinReader: 1}, schema.Step[int]{MinReader: 2, Contract: true}
	for name, c := range map[string]struct {
		steps           []schema.Step[int]
		stored          int
		pending         bool
		contracts       int
		needed          int
		nothingIsLacked bool
	}{
		"none taken":                    {[]schema.Step[int]{plain, plain, contract}, 0, true, 1, 2, false},
		"what is needed is there":       {[]schema.Step[int]{plain, plain, contract}, 2, false, 1, 2, false},
		"the contract was taken":        {[]schema.Step[int]{plain, plain, contract}, 3, false, 0, 2, true},
		"a step that is needed follows": {[]schema.Step[int]{plain, contract, plain}, 1, true, 0, 3, false},
		"two of them wait":              {[]schema.Step[int]{plain, contract, contract}, 1, false, 2, 1, false},
		"a newer release was there":     {[]schema.Step[int]{plain, contract}, 5, false, 0, 1, true},
	} {
		s := schema.StatusOf(schema.Component[int]{Name: "records", Steps: c.steps}, schema.Stored{Version: c.stored, MinReader: 1})
		if s.Pending() != c.pending || s.Contracts() != c.contracts || s.Needed != c.needed || schema.Incomplete([]schema.Status{s}) == c.nothingIsLacked {
			t.Errorf("%s: pending %t, %d contracts, needed %d, incomplete %t", name, s.Pending(), s.Contracts(), s.Needed, schema.Incomplete([]schema.Status{s}))
		}
	}
}
