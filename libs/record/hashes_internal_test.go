package record

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
)

// TestEveryFieldOfAnEntryIsUnderItsHash changes each field of each kind of entry, down to single fields of an actor: its
// hash is another one, except for fields that are not part of the history. The hashes themselves are pinned, because
// histories that are stored must verify with every later release.
func TestEveryFieldOfAnEntryIsUnderItsHash(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 12, 0, 0, 123000000, time.UTC)
	ann := Actor{ID: "ann", Name: "Ann", Role: identity.Manager}
	entry := Entry{Rev: 3, Move: Approve, From: Submitted, To: Approved, By: ann, At: at, Comment: "seen", Changed: []string{"weightKg"},
		Input: "i", Once: "o", FourEyes: true, PolicyRev: 4, Origins: &footprint.OriginCounts{Rows: 2, People: 5, Hash: "h"}, Salt: "salt", Prev: "p", Hash: "h"}
	older := entry
	older.Salt = ""
	event := EventEntry{Rev: 3, Action: EventChanged, By: ann, At: at, Comment: "why", ContextRev: 2, Change: "c", FourEyes: true, PolicyRev: 4,
		Changed: []FieldChange{{Field: "attendees", Before: json.RawMessage("5"), After: json.RawMessage("6")}}, Once: "o", State: "s", Salt: "salt", Prev: "p", Hash: "h"}
	supplier := SupplierEntry{Rev: 3, Action: "approve", By: ann, At: at, Comment: "seen", Changed: []string{"unit"}, FourEyes: true, PolicyRev: 4, State: "s", Hash: "h", Once: "o"}
	for _, c := range []struct {
		name   string
		entry  any
		digest func(e any, org OrgID, of string) string
		free   []string // fields that are not under the hash
		want   string
	}{
		{"record", entry, func(e any, org OrgID, of string) string { return e.(Entry).digest(org, ID(of)) },
			[]string{"Once", "Hash"}, "c258d5bebf61267ec37a7bc21fc0efcce41a4cd24b55bd2b6248562dcb914a31"},
		// Without a salt an entry is one from before commitments and policies; a salt that is added makes it another one.
		{"record, without a salt", older, func(e any, org OrgID, of string) string { return e.(Entry).digest(org, ID(of)) },
			[]string{"Once", "FourEyes", "PolicyRev", "Origins.Rows", "Origins.People", "Origins.Hash", "Hash"}, "3a4fc0d1707d8c04c72576aee5fc722db8ad3c8994e13290bea8983c9a9d5ae7"},
		{"event", event, func(e any, org OrgID, of string) string { return e.(EventEntry).digest(org, EventID(of)) },
			[]string{"Once", "Hash"}, "5e3387e1014e3594bd0b731009b107264b1b0d94cd9c01e7be168eb7295db8c5"},
		{"supplier factor", supplier, func(e any, org OrgID, of string) string { return e.(SupplierEntry).digest(org, of, "p") },
			[]string{"Hash", "Once"}, "e26561c538a7e91037c5b0dcd46666058d91e2911fbef3a97d217c9a93e09b28"},
	} {
		sealed := c.digest(c.entry, "org", "id")
		if sealed != c.want {
			t.Errorf("%s: the hash is %s, want %s", c.name, sealed, c.want)
		}
		if c.digest(c.entry, "other", "id") == sealed || c.digest(c.entry, "org", "other") == sealed {
			t.Errorf("%s: an entry could be moved to another history", c.name)
		}
		var free []string
		eachChange(reflect.ValueOf(c.entry), "", func(path string, changed reflect.Value) {
			if c.digest(changed.Interface(), "org", "id") == sealed && !slices.Contains(free, path) {
				free = append(free, path)
			}
		})
		if !slices.Equal(free, c.free) {
			t.Errorf("%s: these fields can be changed without another hash: %q, want %q", c.name, free, c.free)
		}
	}
}

// eachChange calls f with copies of a value, in each of which one field is another.
func eachChange(v reflect.Value, path string, f func(path string, changed reflect.Value)) {
	other := reflect.New(v.Type()).Elem()
	other.Set(v)
	switch v.Kind() {
	case reflect.String:
		other.SetString(v.String() + "x")
	case reflect.Int, reflect.Int8, reflect.Int64:
		other.SetInt(v.Int() - 1)
	case reflect.Bool:
		other.SetBool(!v.Bool())
	case reflect.Pointer:
		eachChange(v.Elem(), path, func(path string, changed reflect.Value) {
			pointer := reflect.New(v.Type().Elem())
			pointer.Elem().Set(changed)
			f(path, pointer)
		})
		return
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			other.SetBytes(append(slices.Clone(v.Bytes()), 'x'))
			break
		}
		eachChange(v.Index(0), path, func(path string, changed reflect.Value) {
			f(path, reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), changed))
		})
		other.SetLen(0)
	case reflect.Struct:
		if at, ok := reflect.TypeAssert[time.Time](v); ok {
			other.Set(reflect.ValueOf(at.Add(time.Millisecond)))
			break
		}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			eachChange(v.Field(i), name, func(path string, changed reflect.Value) {
				other := reflect.New(v.Type()).Elem()
				other.Set(v)
				other.Field(i).Set(changed)
				f(path, other)
			})
		}
		return
	default:
		panic("no change of " + v.Kind().String())
	}
	f(path, other)
}
