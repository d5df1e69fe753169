package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

func TestAPI(t *testing.T) {
	t.Parallel()
	table := api.Operations()
	if err := table.Check(); err != nil {
		t.Error(err)
	}
	for _, o := range table {
		// What is named by an id has an owner.
		for _, name := range o.Params() {
			if id := strings.HasSuffix(name, "Id") && name != "setId"; id && o.Reach == api.Common {
				t.Errorf("%s names an object and is the same for all", o.ID)
			}
		}
		// A member reads, and calculates; changing the organization's objects other than
		// records requires a manager or an administrator.
		allowed := o.ID == "previewRows" || o.ID == "importMixed" // which creates records
		if !allowed && o.Method != "GET" && o.Least == identity.User && o.Reach == api.Organization && !strings.HasPrefix(o.Path, "/events/{eventId}/{type}") && !strings.HasPrefix(o.Path, "/events/{eventId}/imports/{importId}/") {
			t.Errorf("every member may %s %s", o.Method, o.Path)
		}
		if o.Method != "GET" && o.Least == identity.Viewer && o.Reach != api.Account {
			t.Errorf("a viewer may %s %s", o.Method, o.Path)
		}
	}
	if len(table) < 60 {
		t.Errorf("only %d operations", len(table))
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	table := api.Operations()
	o, ok := table.Find("compareResults")
	if !ok || o.Method != "GET" || o.Path != "/events/{eventId}/results/{revision}/diff/{other}" || o.Least != identity.Viewer || o.Public() {
		t.Errorf("%+v %v", o, ok)
	}
	if got := o.Params(); !slices.Equal(got, []string{"eventId", "revision", "other"}) {
		t.Errorf("parameters %v", got)
	}
	if o, ok := table.Find("createevent"); ok {
		t.Errorf("found %+v", o)
	}
	// Changes by a caller do not affect others.
	table[0].Least = identity.Admin
	if o, _ := api.Operations().Find(table[0].ID); o.Least != identity.RoleNone {
		t.Error("the table can be changed")
	}
}

func TestSignedIn(t *testing.T) {
	t.Parallel()
	table := api.Operations()
	for i, o := range table.SignedIn() {
		want := identity.Viewer
		if table[i].Public() {
			want = identity.RoleNone
		}
		if o.Least != want || o.ID != table[i].ID {
			t.Errorf("%s: %s, want %s", o.ID, o.Least, want)
		}
	}
	if o, _ := table.Find("updateOrganization"); o.Least != identity.Admin {
		t.Error("the table itself was changed")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for why, o := range map[string]api.Operation{
		"lacks its id":             {Method: "GET", Path: "/x"},
		"lacks its id, its method": {ID: "x", Path: "/x"},
		"the slash of its path":    {ID: "x", Method: "GET", Path: "x"},
		"the id of another":        {ID: "good", Method: "GET", Path: "/x"},
		"has a method that":        {ID: "x", Method: "HEAD", Path: "/x"},
		"can never be reached":     {ID: "x", Method: "GET", Path: "/good"},
		"a limit for requests":     {ID: "x", Method: "GET", Path: "/x", Least: identity.User, Limit: api.SignIn},
		"below zero":               {ID: "x", Method: "GET", Path: "/x", Timeout: -1},
		"a cost of its rehearsal":  {ID: "x", Method: "PATCH", Path: "/x", Least: identity.User, Cost: api.Whole, RehearsalCost: api.Whole},
		"its rehearsal that":       {ID: "x", Method: "GET", Path: "/x", Least: identity.User, RehearsalCost: api.Whole},
		"role that does not":       {ID: "x", Method: "GET", Path: "/x", Least: 4},
		"a role that does not":     {ID: "x", Method: "GET", Path: "/x", Least: identity.User, Others: -7},
		"needs no token":           {ID: "x", Method: "GET", Path: "/x", Reach: api.Organization},
		"that changes nothing":     {ID: "x", Method: "GET", Path: "/x", Least: identity.Manager, Others: identity.Manager, Reach: api.Organization},
		"changes nothing":          {ID: "x", Method: "GET", Path: "/x", Least: identity.User, Others: identity.Manager},
	} {
		err := api.Table{{ID: "good", Method: "GET", Path: "/good"}, o}.Check()
		if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", o, err, why)
		}
	}
}

// TestMaxBody verifies that no operation that needs no token takes a large body, and that any other takes what its row
// or the default says.
func TestMaxBody(t *testing.T) {
	t.Parallel()
	const byDefault = 1 << 20
	for _, o := range append(api.Operations(), api.Operation{ID: "large", BodyLimit: 16 << 20}) {
		want := byDefault
		switch {
		case o.Public():
			want = api.StrangersBody
		case o.BodyLimit > 0:
			want = o.BodyLimit
		}
		if got := o.MaxBody(byDefault); got != want {
			t.Errorf("%s takes %d bytes, want %d", o, got, want)
		}
	}
	if got := (api.Operation{}).MaxBody(100); got != 100 {
		t.Errorf("a public operation takes %d bytes where the default is 100", got)
	}
}
