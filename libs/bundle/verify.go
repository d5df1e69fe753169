package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// Difference is one difference between a bundle and the result of its inputs.
type Difference struct {
	// Where is a path into the bundle, or the name of a check.
	Where string
	// Stated is the value in the bundle, Computed the recomputed one. Either may be empty if only one of them exists.
	Stated, Computed string
}

// String returns the difference in one line.
func (d Difference) String() string {
	switch {
	case d.Stated == "":
		return d.Where + ": " + d.Computed
	case d.Computed == "":
		return fmt.Sprintf("%s: %s is stated and should not be there", d.Where, d.Stated)
	}
	return fmt.Sprintf("%s: %s is stated, %s was computed", d.Where, d.Stated, d.Computed)
}

// maxDifferences bounds the list of a Verdict; one changed factor moves the
// figures of every record.
const maxDifferences = 100

// Verdict is the result of Verify.
type Verdict struct {
	// Differences is empty if the bundle is correct to the last bit.
	Differences []Difference
	// More is the number of differences that are not listed.
	More int
	// Event, Records, Revision and Total describe the bundle.
	Event    string
	Records  int
	Revision int64
	Total    footprint.Mass
	// SignedBy is the thumbprint of the key of a good signature; empty for a
	// bundle without one.
	SignedBy string
	// EventID, StartDate, EndDate, FactorSet and CalculatedAt identify the bundle, so that it is not confused with
	// one of the same title.
	EventID, StartDate, EndDate, FactorSet, CalculatedAt string
	// Hash is that of the content, which a page of the report states.
	Hash string
	// Intact reports whether the bundle agrees with its own hashes and signature. Then differences are between the
	// program that made it and this one; otherwise it was changed after it was made.
	Intact bool
	// OtherEngine is the version of the engine that made the bundle, if this program does not have it. Then hashes,
	// signature and people are checked, and the figures are compared with those of RecomputedBy.
	OtherEngine string
	// RecomputedBy is the newest available engine, if OtherEngine is set and the factor set is available, and
	// OtherFigures are the figures in which it differs: none if the engines agree on this bundle.
	RecomputedBy string
	OtherFigures []Difference
	// Statements describe the findings about people.
	Statements []string
}

func (v *Verdict) add(where, stated, computed string) {
	if len(v.Differences) == maxDifferences {
		v.More++
		return
	}
	v.Differences = append(v.Differences, Difference{printable(where), printable(stated), printable(computed)})
}

// printable prevents the content of a bundle from controlling the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// Verify recomputes a bundle from its inputs: every line of every record, the sums, the hashes; compares its factors
// with the available set; and checks its signature. It needs neither a network nor a clock. An error means that data
// is not a bundle.
func Verify(data []byte) (v Verdict, err error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return Verdict{}, fmt.Errorf("this is no report bundle: %w", err)
	}
	data = compact.Bytes()
	b, err := decode(data)
	if err != nil {
		return Verdict{}, err
	}
	v = Verdict{Event: b.Event.Title, Records: len(b.Records), Revision: b.Result.Revision, Total: b.Result.Total.KgCO2e,
		EventID: printable(b.Event.ID), StartDate: printable(b.Event.Context.StartDate), EndDate: printable(b.Event.Context.EndDate),
		FactorSet: printable(b.FactorSet.ID), CalculatedAt: printable(b.Result.CalculatedAt), Hash: printable(b.Hashes.Content)}
	stated := b
	if err := stated.hash(); err != nil {
		return v, err
	}
	v.Intact = b.Hashes == stated.Hashes && (b.Signature == nil || b.checkSignature() == nil)
	defer func() {
		switch {
		case b.Signature == nil:
		case b.checkSignature() != nil:
			v.add("signature", "", b.checkSignature().Error())
		default:
			v.SignedBy = b.Signature.KeyID
		}
	}()
	v.checkPeople(b)
	if !footprint.KnownEngine(b.EngineVersion) {
		v.OtherEngine = printable(b.EngineVersion)
		v.recompute(b)
		v.tree("hashes", b.Hashes, stated.Hashes)
		v.twice(b.Records)
		v.form(b, data)
		return v, nil
	}
	set, err := b.set()
	if err != nil {
		v.add("factorSet", b.FactorSet.ID, err.Error())
		return v, nil
	}
	v.statePack(b)
	v.twice(b.Records)
	source := b.source()
	source.set = set
	again, faults := build(source)
	for _, f := range faults {
		where := "records"
		if f.record >= 0 {
			where = nameOf(f.record, again.Records[f.record])
		}
		v.add(where, "", f.err.Error())
	}
	again.Signature = b.Signature
	v.compare(b, again.Bundle, set)
	v.form(b, data)
	return v, nil
}

// recompute compares the figures of a bundle by an unavailable engine with those of the available ones: the newest
// that agrees, else the newest.
func (v *Verdict) recompute(b Bundle) {
	set, err := b.set()
	if err != nil {
		return
	}
	for _, engine := range slices.Backward(footprint.Engines()) {
		differences := figuresBy(engine, b, set)
		if v.RecomputedBy == "" || len(differences) == 0 {
			v.RecomputedBy, v.OtherFigures = engine, differences
		}
		if len(differences) == 0 {
			return
		}
	}
}

// figuresBy returns where the figures of a bundle are not those of an engine.
func figuresBy(engine string, b Bundle, set *factors.Set) []Difference {
	source := b.source()
	source.set = set
	source.Engine = footprint.Pin(engine)
	again, faults := build(source)
	var other Verdict
	for _, f := range faults {
		other.add("records", "", f.err.Error())
	}
	// The fields that name the engine differ anyway.
	again.Result.InputsHash = b.Result.InputsHash
	for i := range min(len(b.Records), len(again.Records)) {
		other.tree(nameOf(i, b.Records[i]), b.Records[i], again.Records[i])
	}
	other.tree("result", b.Result, again.Result)
	return other.Differences
}

// source returns the inputs stated in a bundle.
func (b Bundle) source() Source {
	engine := b.EngineVersion
	if engine == footprint.EngineVersion {
		engine = ""
	}
	s := Source{Event: b.Event, Engine: engine, FactorSet: b.FactorSet.ID, Failed: b.Failed, Revision: b.Result.Revision,
		CalculatedAt: b.Result.CalculatedAt, Tree: b.Result.Tree, Records: make([]Input, len(b.Records))}
	if b.Format == Format2 {
		s.Names, s.Organization, s.Provenance, s.NotCounted, s.SignOff = b.Names, b.Organization, b.Provenance, b.NotCounted, b.SignOff
		s.Policies = b.Policies
	}
	withheld := b.Names == NamesRoles
	if withheld {
		s.InputsHash = b.Result.InputsHash
	}
	for i, r := range b.Records {
		s.Records[i] = Input{ID: r.ID, Type: r.Type, Seq: r.Seq, Revision: r.Revision, Fields: r.Fields}
		if withheld {
			s.Records[i].Hash = r.InputHash
		}
	}
	return s
}

func decode(data []byte) (Bundle, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var b Bundle
	if err := decoder.Decode(&b); err != nil {
		return b, fmt.Errorf("this is no report bundle: after %d bytes: %w", decoder.InputOffset(), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return b, fmt.Errorf("this is no report bundle: something follows it after %d bytes", decoder.InputOffset())
	}
	if b.Format != Format && b.Format != Format2 {
		return b, fmt.Errorf("this is no report bundle of the format %s or %s: its format is %q", Format, Format2, b.Format)
	}
	if b.Format == Format2 && (b.Organization == nil || b.Names != NamesFull && b.Names != NamesRoles) {
		return b, fmt.Errorf("this is no report bundle of the format %s: it names no organization, or its names are %q", Format2, b.Names)
	}
	return b, nil
}

// twice reports records that would count twice.
func (v *Verdict) twice(records []Record) {
	ids, numbers := map[string]bool{}, map[string]bool{}
	for i, r := range records {
		number := r.Type + "/" + strconv.FormatInt(r.Seq, 10)
		if ids[r.ID] || numbers[number] {
			v.add(nameOf(i, r), "", "the record is there twice")
		}
		ids[r.ID], numbers[number] = true, true
	}
}

// compare reports the differences between the stated and the recomputed bundle. Causes come before consequences:
// factors, records, sums, hashes.
func (v *Verdict) compare(stated, again Bundle, set *factors.Set) {
	v.tree("factorSet", stated.FactorSet, again.FactorSet)
	for i, f := range stated.Factors {
		where := fmt.Sprintf("factors[%d] (%s)", i, f.ID)
		if footprint.IsSupplierRow(f.ID) {
			// A supplier factor is in no set: the records that use it define it.
			if at := slices.IndexFunc(again.Factors, func(o Factor) bool { return o.ID == f.ID }); at >= 0 {
				v.tree(where, f, again.Factors[at])
			} else {
				v.add(where, "", "no record uses such a factor")
			}
			continue
		}
		held, ok := set.Factor(f.ID)
		if !ok {
			v.add(where, "", "the set has no such factor")
			continue
		}
		v.tree(where, f, FactorOf(held))
	}
	if !slices.EqualFunc(stated.Factors, again.Factors, func(a, b Factor) bool { return a.ID == b.ID }) {
		v.add("factors", strconv.Itoa(len(stated.Factors))+" rows", strconv.Itoa(len(again.Factors))+" rows that the lines use")
	}
	for i := range min(len(stated.Records), len(again.Records)) {
		v.tree(nameOf(i, stated.Records[i]), stated.Records[i], again.Records[i])
	}
	v.tree("failed", stated.Failed, again.Failed)
	v.tree("result", stated.Result, again.Result)
	v.tree("hashes", stated.Hashes, again.Hashes)
}

func nameOf(i int, r Record) string {
	return fmt.Sprintf("records[%d] (%s %s)", i, r.Type, r.ID)
}

// form reports a bundle with the same content in other bytes: another order, other digits, a repeated member. White
// space is ignored.
func (v *Verdict) form(b Bundle, got []byte) {
	canonical, err := b.Encode()
	if err != nil {
		v.add("form", "", err.Error())
		return
	}
	if bytes.Equal(got, canonical) {
		return
	}
	at := 0
	for at < min(len(got), len(canonical)) && got[at] == canonical[at] {
		at++
	}
	v.add(fmt.Sprintf("form, byte %d without white space", at), excerpt(got, at), excerpt(canonical, at))
}

func excerpt(text []byte, at int) string {
	return strconv.Quote(string(text[max(at-16, 0):min(at+24, len(text))]))
}

// tree reports the leaves in which two values differ as JSON.
func (v *Verdict) tree(where string, stated, computed any) {
	left, errLeft := encode(stated)
	right, errRight := encode(computed)
	if err := errors.Join(errLeft, errRight); err != nil {
		v.add(where, "", err.Error())
		return
	}
	if !bytes.Equal(left, right) {
		v.leaves(where, plain(left), plain(right))
	}
}

// plain returns JSON as maps, lists, and numbers with their digits.
func plain(text []byte) (out any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		return string(text) // encoded text always decodes
	}
	return out
}

func (v *Verdict) leaves(where string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			names := map[string]bool{}
			for k := range x {
				names[k] = true
			}
			for k := range y {
				names[k] = true
			}
			for _, k := range slices.Sorted(maps.Keys(names)) {
				left, inA := x[k]
				right, inB := y[k]
				switch {
				case inA && inB:
					v.leaves(where+"."+k, left, right)
				case inA:
					v.add(where+"."+k, show(left), "")
				default:
					v.add(where+"."+k, "nothing", show(right))
				}
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				v.leaves(fmt.Sprintf("%s[%d]", where, i), x[i], y[i])
			}
			return
		}
	}
	if left, right := show(a), show(b); left != right {
		v.add(where, left, right)
	}
}

func show(v any) string {
	text, err := encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	const most = 120
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
