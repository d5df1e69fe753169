package findings

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestEveryFieldOfAFactIsStored fills all fields of a fact and of a deviation: a new field that is not stored would
// be lost.
func TestEveryFieldOfAFactIsStored(t *testing.T) {
	t.Parallel()
	n := int64(0)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch to := v.Interface().(type) {
		case footprint.Mass:
			v.Set(reflect.ValueOf(footprint.MassOf(-n).Add(footprint.MassOf(1 << 62)).Add(footprint.MassOf(1 << 62))))
			return
		case *decimal.Decimal:
			d := decimal.New(-n, 2)
			v.Set(reflect.ValueOf(&d))
			return
		case *big.Int:
			v.Set(reflect.ValueOf(new(big.Int).Lsh(big.NewInt(n), 200)))
			return
		case *footprint.SupplierFactor:
			v.Set(reflect.ValueOf(&footprint.SupplierFactor{Name: "é", Version: n, ValidFrom: "2026-01-01", ValidTo: "2026-12-31"}))
			return
		case []total.Deviation:
			d := reflect.New(reflect.TypeFor[total.Deviation]()).Elem()
			fill(d)
			v.Set(reflect.Append(reflect.ValueOf(to), d, d))
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				field := v.Field(i)
				if !field.CanSet() { // of this package
					field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
				}
				if v.Type().Field(i).Name != "Wide" { // see TestFactsOfExamplesAreStored
					fill(field)
				}
			}
		case reflect.String:
			v.SetString(fmt.Sprint("é", n))
		case reflect.Int64:
			v.SetInt(-n)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		default:
			t.Fatalf("a field of the kind %s", v.Kind())
		}
	}
	var f Fact
	fill(reflect.ValueOf(&f).Elem())
	zero := Fact{Deviations: []total.Deviation{}}
	want := Segment{ContextRev: 1<<53 + 1, Engine: "2.3.0", Hash: strings.Repeat("a", 64), Inputs: []string{"x", "", "z"}, Facts: []Fact{f, zero, f}}
	stored := want.Compact()
	got, ok := ReadSegment(string(stored))
	if !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v: read\n%+v\nwant\n%+v", ok, got, want)
	}
	if under, ok := Under(string(stored)); !ok || under.Hash != want.Hash || under.ContextRev != want.ContextRev || under.Engine != want.Engine {
		t.Errorf("the facts hold under %+v", under)
	}
	for i := range stored {
		if _, ok := ReadSegment(string(stored[:i])); ok {
			t.Errorf("the first %d of %d bytes read", i, len(stored))
		}
	}
	if _, ok := ReadSegment(string(stored) + "x"); ok {
		t.Error("more than was stored reads")
	}
	texts := strings.Index(string(stored), string([]byte{2 * Form, 0x82})) // the form follows the texts, and then the revision of the context
	if texts < 0 {
		t.Fatal("no form is stored")
	}
	other := string(stored[:texts]) + string([]byte{2 * (Form - 1)}) + string(stored[texts+1:])
	if _, ok := ReadSegment(other); ok {
		t.Error("facts of another form read")
	}
}

// TestFactsOfExamplesAreStored: those of an example of each way of each type, by each engine, in at most 400 bytes
// each.
func TestFactsOfExamplesAreStored(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		want := Segment{Engine: engine}
		for _, typ := range footprint.Types() {
			for i, fields := range footprint.Examples(typ) {
				ev := footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026", Engine: engine}
				decoded, err := footprint.Decode(typ, fields, ev)
				if err != nil {
					continue // of another edition
				}
				_, contribution, err := record.Evaluate(typ, decoded.Fields, nil, ev)
				if err != nil {
					continue
				}
				want.Inputs = append(want.Inputs, fmt.Sprint(i))
				want.Facts = append(want.Facts, FactOf(record.Counted{ID: record.ID(fmt.Sprint(typ, i)), Type: typ, Fields: decoded.Fields, Contribution: contribution}))
			}
		}
		if len(want.Facts) < len(footprint.Types()) {
			t.Fatalf("%s: %d facts", engine, len(want.Facts))
		}
		stored := want.Compact()
		got, ok := ReadSegment(string(stored))
		a, _ := json.Marshal(MeasureNext(got.Facts))
		b, _ := json.Marshal(MeasureNext(want.Facts))
		if !ok || !reflect.DeepEqual(got, want) || string(a) != string(b) {
			t.Fatalf("%s, %v: read\n%+v\nwant\n%+v", engine, ok, got, want)
		}
		if each := len(stored) / len(want.Facts); each > 400 {
			t.Errorf("%s: %d bytes for each fact", engine, each)
		}
	}
}
