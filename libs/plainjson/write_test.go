package plainjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/plainjson"
)

// texts need escaping, or look as if they did.
var texts = []string{
	"", "plain", `a "quoted" one`, `back\slash`, "line\nfeed", "a < b > c & d", "München", "\u2028\u2029", "\x7f", "\xff\xfe", "…", "\x00", " with spaces ",
}

func FuzzAppendString(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		if got := append(plainjson.AppendMember([]byte("{"), "a", text), '}'); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func FuzzAppendRaw(f *testing.F) {
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(quoted)
		f.Add([]byte(`{"a":"` + text + `"}`))
	}
	for _, raw := range []string{`null`, `{"a": 1}`, "[1,\n2]", `{"a":"b c","d":[1.50,true]}`, `{"a":"\""}`, ` 1`, "\t1", `"\\" `} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		want, err := json.Marshal(json.RawMessage(raw))
		if err != nil {
			t.Skip() // what is stored is JSON
		}
		if got, err := plainjson.AppendRaw(nil, raw); err != nil || string(got) != string(want) {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	})
}

// TestMarshalUnescaped: texts are those of encoding/json without its escapes of <, > and &.
func TestMarshalUnescaped(t *testing.T) {
	for _, text := range texts {
		escaped, err := json.Marshal([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(escaped))
		if got, err := plainjson.MarshalUnescaped([]string{text}); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	if _, err := plainjson.MarshalUnescaped(func() {}); err == nil {
		t.Error("a function is encoded")
	}
}
