package fields_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// readPolicy reads what a policy and a list of people may have, and drops _id.
func readPolicy(t *testing.T, body string, named ...func(path, name string) []string) *fields.Reader {
	t.Helper()
	r, err := fields.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range named {
		r.NameBy(f)
	}
	r.ServerOwned("_id", "createdAt")
	r.String("name", 1, 10)
	if policy, ok := r.Object("policy"); ok {
		policy.Bool("fourEyes")
	}
	people, _ := r.Objects("people", 5)
	for _, p := range people {
		p.String("email", 1, 50)
	}
	return r
}

func TestNoticesNameWhatHadNoEffect(t *testing.T) {
	t.Parallel()
	r := readPolicy(t, `{"_id":"x","nmae":"n","policy":{"foureyes":true},"people":[{"email":"a"},{"emial":"b","zzzzzzzz":1}],"quite":{"other":1}}`)
	type brief struct {
		code, field string
		suggestions []string
	}
	var got []brief
	for _, n := range r.Notices() {
		if n.Message == "" {
			t.Errorf("the notice on %s has no message", n.Field)
		}
		got = append(got, brief{n.Code, n.Field, n.Suggestions})
	}
	want := []brief{
		{fields.ServerFieldIgnored, "_id", nil},
		{fields.UnknownFieldIgnored, "nmae", []string{"name"}},
		{fields.UnknownFieldIgnored, "people[1].emial", []string{"people[1].email"}},
		{fields.UnknownFieldIgnored, "people[1].zzzzzzzz", nil},
		{fields.UnknownFieldIgnored, "policy.foureyes", []string{"policy.fourEyes"}},
		{fields.UnknownFieldIgnored, "quite", nil},
	}
	for i := range got {
		if len(got[i].suggestions) == 0 {
			got[i].suggestions = nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("notices\n%v\nwant\n%v", got, want)
	}
	if err := r.Err(); err != nil {
		t.Errorf("what has no effect is an error: %v", err)
	}
}

func TestRefuseUnknownNamesEachUnknownField(t *testing.T) {
	t.Parallel()
	r := readPolicy(t, `{"_id":"x","name":7,"policy":{"foureyes":true}}`)
	r.RefuseUnknown()
	var got []string
	var refused *apperr.Error
	if !errors.As(r.Err(), &refused) {
		t.Fatalf("error %v", r.Err())
	}
	for _, d := range refused.Details {
		got = append(got, d.Field+" "+d.Code)
	}
	want := []string{"name WRONG_TYPE", "policy.foureyes UNKNOWN_FIELD"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
}

func TestNoticesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1900 {
		fmt.Fprintf(&b, `,"x%d":%d`, i, i)
	}
	notices := readPolicy(t, `{"name":"n"`+b.String()+"}").Notices()
	if len(notices) != 21 || !strings.HasPrefix(notices[20].Message, "1880 more") {
		t.Errorf("%d notices, the last %+v", len(notices), notices[len(notices)-1])
	}
}

// TestServerOwnedFieldsSayWhatSetsThem verifies that the notice of a field that the server sets has its explanation.
func TestServerOwnedFieldsSayWhatSetsThem(t *testing.T) {
	t.Parallel()
	r, err := fields.Parse([]byte(`{"location":"Leeds"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.ServerOwned("location")
	r.Meaning("location", "place sets it.")
	if n := r.Notices(); len(n) != 1 || !strings.HasSuffix(n[0].Message, "place sets it.") {
		t.Errorf("notices %+v", n)
	}
}

// TestUnknownFieldsAreNamedByMeaning verifies that suggestions by meaning precede those by spelling, and are fields of
// the same object.
func TestUnknownFieldsAreNamedByMeaning(t *testing.T) {
	t.Parallel()
	r := readPolicy(t, `{"Full Name":"n","people":[{"e_mail_address":"b","name":"c"}]}`, func(path, name string) []string {
		return map[string][]string{" fullname": {"name", "title"}, "people[0] emailaddress": {"email"}, "people[0] name": {"name"}}[path+" "+name]
	})
	want := map[string][]string{"Full Name": {"name"}, "people[0].e_mail_address": {"people[0].email"}, "people[0].name": nil}
	for _, n := range r.Notices() {
		if !slices.Equal(n.Suggestions, want[n.Field]) {
			t.Errorf("%s: suggestions %v, want %v", n.Field, n.Suggestions, want[n.Field])
		}
	}
}
