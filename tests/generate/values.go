package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Maker makes values. It is not safe for concurrent use.
type Maker struct {
	Rand *rand.Rand
	// Known has valid values by field name, for fields with a register that the
	// document names but does not contain.
	Known map[string][]string
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Pick returns a random element.
func Pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Chance returns true once in n calls on average.
func (m *Maker) Chance(n int) bool { return m.Rand.IntN(n) == 0 }

// Flat returns the properties of an object's schema and of its allOf.
func Flat(s *openapi3.Schema) (properties openapi3.Schemas, required []string) {
	properties = openapi3.Schemas{}
	maps.Copy(properties, s.Properties)
	required = append(required, s.Required...)
	for _, part := range s.AllOf {
		more, needed := Flat(part.Value)
		maps.Copy(properties, more)
		required = append(required, needed...)
	}
	return properties, required
}

func is(s *openapi3.Schema, kind string) bool { return s.Type != nil && s.Type.Includes(kind) }

// Valid makes a value that is valid for a schema. name is the field it is for.
func (m *Maker) Valid(s *openapi3.Schema, name string) any {
	switch {
	case is(s, "null") && m.Chance(12):
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.AnyOf) > 0:
		return m.Valid(Pick(m.Rand, s.AnyOf).Value, name)
	case len(s.OneOf) > 0:
		return m.Valid(Pick(m.Rand, s.OneOf).Value, name)
	case len(s.Enum) > 0:
		if v := Pick(m.Rand, s.Enum); v != nil {
			return v
		}
		return s.Enum[0]
	case len(m.Known[name]) > 0 && is(s, "string"):
		return Pick(m.Rand, m.Known[name])
	case len(s.Examples) > 0 && m.Chance(3):
		return shape(Pick(m.Rand, s.Examples))
	case is(s, "object") || len(s.Properties) > 0 || len(s.AllOf) > 0:
		return m.object(s)
	case is(s, "array"):
		return m.array(s, name)
	case is(s, "string"):
		return m.text(s)
	case is(s, "integer"):
		return m.integer(s)
	case is(s, "number"):
		return m.number(s)
	case is(s, "boolean"):
		return m.Chance(2)
	}
	return nil
}

func (m *Maker) object(s *openapi3.Schema) any {
	properties, required := Flat(s)
	out := Object{}
	for _, name := range sortedKeys(properties) {
		if slices.Contains(required, name) || m.Chance(4) {
			out = append(out, Member{name, m.Valid(properties[name].Value, name)})
		}
	}
	extra := s.AdditionalProperties.Schema
	for extra != nil && len(properties) == 0 && (uint64(len(out)) < s.MinProps || m.Chance(2)) {
		if s.MaxProps != nil && uint64(len(out)) >= *s.MaxProps {
			break
		}
		key := "key-" + fmt.Sprint(len(out))
		if s.PropertyNames != nil && s.PropertyNames.Value.Pattern != "" {
			key = matching(m.Rand, s.PropertyNames.Value.Pattern)
		}
		out = out.With(key, m.Valid(extra.Value, key))
	}
	for len(properties) > 0 && uint64(len(out)) < s.MinProps {
		name := Pick(m.Rand, sortedKeys(properties))
		out = out.With(name, m.Valid(properties[name].Value, name))
	}
	if m.Chance(2) {
		m.Rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func (m *Maker) array(s *openapi3.Schema, name string) any {
	n := int(s.MinItems) + m.Rand.IntN(3)
	if s.MaxItems != nil {
		n = min(n, int(*s.MaxItems))
	}
	out := []any{}
	seen := map[string]bool{}
	for range n {
		v := m.Valid(s.Items.Value, strings.TrimSuffix(name, "s"))
		text := string(Encode(v))
		if s.UniqueItems && seen[text] {
			continue
		}
		seen[text] = true
		out = append(out, v)
	}
	return out
}

// letters are of many scripts and widths, all of them good in any text.
var letters = []rune("abcXYZ 019_-äßİıéñЖшλΩעבערبية漢字かなकิ한👩🏽‍🚀𝔘𐍈\u0301\u200f'\"\\<>&;=,%{}$./")

func (m *Maker) text(s *openapi3.Schema) any {
	switch s.Format {
	case "date":
		return fmt.Sprintf("%04d-%02d-%02d", 2020+m.Rand.IntN(8), 1+m.Rand.IntN(12), 1+m.Rand.IntN(28))
	case "date-time":
		return "2026-05-30T12:00:00.000Z"
	case "uri":
		return "https://example.org/" + fmt.Sprint(m.Rand.IntN(1000))
	}
	if s.Pattern != "" {
		return matching(m.Rand, s.Pattern)
	}
	longest := int(s.MinLength) + 30
	if s.MaxLength != nil {
		longest = int(*s.MaxLength)
	}
	n := int(s.MinLength) + m.Rand.IntN(min(longest-int(s.MinLength), 40)+1)
	if m.Chance(20) {
		n = min(longest, 6000)
	}
	out := make([]rune, n)
	for i := range out {
		out[i] = Pick(m.Rand, letters)
	}
	if n > 0 {
		out[0] = 'x' // a required string must not be blank
	}
	return string(out)
}

// bounds returns the limits of a number; a million if the document has none.
func bounds(s *openapi3.Schema) (low, high float64) {
	low, high = -1e6, 1e6
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	return low, max(low, high)
}

func (m *Maker) integer(s *openapi3.Schema) any {
	low, high := bounds(s)
	v := int64(low) + m.Rand.Int64N(int64(high-low)+1)
	switch m.Rand.IntN(8) {
	case 0:
		v = int64(low)
	case 1:
		v = int64(high)
	case 2:
		return Raw(fmt.Sprintf("%d.0", v))
	case 3:
		v = min(int64(low)+m.Rand.Int64N(10), int64(high))
	}
	return json.Number(fmt.Sprint(v))
}

// plain formats a number without an exponent, with the given number of decimals; -1 for
// as many as it has.
func plain(v float64, decimals int) json.Number {
	return json.Number(strconv.FormatFloat(v, 'f', decimals, 64))
}

func (m *Maker) number(s *openapi3.Schema) any {
	low, high := bounds(s)
	switch m.Rand.IntN(8) {
	case 0:
		return plain(low, -1)
	case 1:
		return plain(high, -1)
	case 2:
		if low <= 1 && high >= 1 {
			return Raw("0.0000001e7")
		}
	}
	v := plain(low+m.Rand.Float64()*(high-low)*0.999, m.Rand.IntN(4))
	if rounded, err := v.Float64(); err != nil || rounded < low {
		return plain(low, -1)
	}
	return v
}
