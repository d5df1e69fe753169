package fields_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// TestBodiesOfManyValuesTakeLittle: values of a body that are not read need no memory. A megabyte of empty objects
// took a hundred of them, and some concurrent ones would exhaust any container. It does not run in parallel, since
// other allocations would count.
func TestBodiesOfManyValuesTakeLittle(t *testing.T) { //nolint:paralleltest // it counts the bytes that the process allocates
	for name, one := range map[string]string{"objects": "{},", "lists": "[],", "texts": `"a",`, "escaped names": `{"\u0061":{"b":1}},`} {
		body := []byte(`{"items":[` + strings.Repeat(one, 1<<20/len(one)) + "0]}")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := fields.Parse(body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := r.Raws("items", "a list", 100); ok {
			t.Errorf("%s: more entries than 100 are taken", name)
		}
		runtime.ReadMemStats(&after)
		// An escaped name is written out while it is read, and forgotten.
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 5*len(body) { //nolint:gosec // a difference of some megabytes
			t.Errorf("%s: %d bytes are allocated for a body of %d", name, took, len(body))
		}
		runtime.KeepAlive(r)
	}
}

// TestFieldsOfAnObjectAreBounded: a field takes many times the memory of its text.
func TestFieldsOfAnObjectAreBounded(t *testing.T) {
	t.Parallel()
	object := func(fields int) string {
		var b strings.Builder
		for i := range fields {
			fmt.Fprintf(&b, `"x%d":0,`, i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	for body, good := range map[string]bool{
		object(2000): true, object(2001): false, `{"a":[` + object(2000) + "," + object(2000) + "]}": true, `{"a":[` + object(2001) + "]}": false,
	} {
		_, err := fields.Parse([]byte(body))
		if (err == nil) != good {
			t.Errorf("a body of %d bytes: %v", len(body), err)
		}
	}
}

// TestRepeatedFieldsAreNamed tells where they are, however deep.
func TestRepeatedFieldsAreNamed(t *testing.T) {
	t.Parallel()
	_, err := fields.Parse([]byte(`{"a":[0,{"b":{"c":1,"\u0063":2}},{"b":1}],"d":[[{"":1,"":2}]],"a":1}`))
	var got []string
	var refused *apperr.Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	for _, d := range refused.Details {
		got = append(got, d.Field+" "+d.Code)
	}
	if want := "[a[1].b.c DUPLICATE_KEY d[0][0]. DUPLICATE_KEY a DUPLICATE_KEY]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestAByteOrderMarkIsNamed: it is refused like any other text before the object, but nobody sees it.
func TestAByteOrderMarkIsNamed(t *testing.T) {
	t.Parallel()
	_, err := fields.Parse([]byte("\ufeff{}"))
	refused, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(refused.Details) != 1 || !strings.Contains(refused.Details[0].Message, "byte order mark") {
		t.Errorf("%v", err)
	}
}
