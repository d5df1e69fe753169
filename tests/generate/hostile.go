package generate

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// HostileTexts returns strings that have broken programs: database operators, paths,
// markup, control characters, right-to-left scripts.
func HostileTexts() []string {
	return []string{
		"", " ", "\x00", "a\x00b", "\u202eevil", "é" + strings.Repeat("\u0301", 200), "𐍈👩🏽‍🚀", "\ufeff", "\u2028\u2029", "\ufffe\uffff",
		"../../etc/passwd", "..%2f..%2f", "%00", "system.users", "$where", "{\"$gt\":\"\"}", "'; DROP TABLE records; --", "\" OR 1=1 --", "a.b.$c",
		"__proto__", "constructor", "=1+1", "<script>alert(1)</script>", "\x1b[31mred\x1b[0m", "line\r\nX-Injected: 1", "{{7*7}}", "${jndi:ldap://x}",
		"true", "null", "NaN", "Infinity", "-0", "1e999", "9223372036854775808", strings.Repeat("A", 70000), strings.Repeat("漢", 5001),
	}
}

// HostileValues returns JSON values and text that is almost JSON.
func HostileValues() []any {
	out := []any{
		Raw("1e308"), Raw("-1e308"), Raw("1e400"), Raw("9007199254740993"), Raw("9223372036854775807"), Raw("9223372036854775808"), Raw("-9223372036854775809"),
		Raw("-0"), Raw("-0.0"), Raw("1.5"), Raw("0.1e1"), Raw("1E+2"), Raw("1e-400"), Raw("0." + strings.Repeat("0", 400) + "1"), Raw(strings.Repeat("9", 5000)),
		Raw("1e" + strings.Repeat("9", 1000)), Raw("3.0000000000000000000000000000000000001"),
		Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("01"), Raw("+1"), Raw(".5"), Raw("1."), Raw("0x10"), Raw("1_000"), Raw("undefined"), Raw("True"),
		Raw(`"\ud800"`), Raw(`"\udc00\ud800"`), Raw(`"\u0000"`), Raw("\"\xff\xfe\""), Raw("\"\xed\xa0\x80\""), Raw(`"\x41"`), Raw("'single'"), Raw("\"open"), Raw(""),
		Object{{"$gt", ""}}, Object{{"$where", "sleep(1000)"}}, Object{{"__proto__", Object{{"admin", true}}}}, Object{{"a.b", 1}, {"$set", 2}, {"\x00", 3}},
		Object{{"length", 5}}, Object{{"_id", Object{{"$ne", nil}}}}, []any{nil}, []any{[]any{[]any{}}}, nil, true, []any{}, Object{},
		nested('[', ']', 33), nested('[', ']', 20000), nested('{', '}', 33), nested('{', '}', 5000),
	}
	for _, t := range HostileTexts() {
		out = append(out, t)
	}
	return out
}

// nested returns arrays or objects nested to the given depth.
func nested(open, end byte, depth int) Raw {
	if open == '{' {
		return Raw(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
	}
	return Raw(strings.Repeat(string(open), depth) + strings.Repeat(string(end), depth))
}

// Hostile returns a valid value with an addition that no schema foresees, and a
// description of it.
func (m *Maker) Hostile(value any) (any, string) {
	bad := Pick(m.Rand, HostileValues())
	o, isObject := value.(Object)
	switch kind := m.Rand.IntN(8); {
	case kind == 0 || !isObject:
		return bad, "another body"
	case kind == 1 && len(o) > 0:
		twice := Pick(m.Rand, o)
		return append(append(Object(nil), o...), Member{twice.Name, bad}), "a duplicate key"
	case kind == 2:
		// Server-owned fields, and names with a special meaning elsewhere.
		name := Pick(m.Rand, []string{"_id", "org", "orgId", "organization", "status", "submitted", "approved", "createdBy", "createdAt", "revision", "seq", "eventId",
			"type", "footprint", "history", "plan", "role", "__proto__", "constructor", "prototype", "$where", "$set", "a.b", "", "\x00", "toString", "counts", "factorSet"})
		return append(append(Object(nil), o...), Member{name, bad}), "the member " + name
	case kind == 3:
		text := string(Encode(o))
		return Raw(text[:m.Rand.IntN(len(text))]), "a body cut short"
	case kind == 4:
		return Raw(string(Encode(o)) + Pick(m.Rand, []string{"{}", " null", "]", "\x00", ",", "//", string(Encode(o))})), "text behind the body"
	case kind == 5:
		many := append(Object(nil), o...)
		for range 300 {
			many = append(many, Member{m.Valid(&openapi3.Schema{Type: &openapi3.Types{"string"}}, "").(string), bad})
		}
		return many, "many unknown members"
	case len(o) > 0:
		return o.With(Pick(m.Rand, o).Name, bad), "another value"
	}
	return bad, "another body"
}
