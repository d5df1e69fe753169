package fields_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

func TestMisleading(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"", "Zoë O'Neil", "two\r\nlines\tand a tab", "דוד כהן", "فاطمة\u200f", "می\u200cخواهم", "👩🏽\u200d🚀 ❤\ufe0f", "é" + strings.Repeat("\u0301", 200),
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f fans", "\ufeff", "a\u00adb", "line\u2028line\u0085line", "\ufffd", "กข\u200bคง",
	} {
		if got := fields.Misleading(good); got != "" {
			t.Errorf("%+q has %s", good, got)
		}
	}
	for bad, want := range map[string]string{
		"a\x00": "the character NUL", "\x1b[31mred": "the control character U+001B", "del\x7f": "the control character U+007F", "csi\u009b": "the control character U+009B",
		"Hotel \u202egnp.exe": "U+202E, which changes the direction of the text after it", "\u2066x": "U+2066, which changes", "x\u202c": "U+202C, which changes",
		"a\U000e0041\U000e0042": "U+E0041, which cannot be seen", "🏴\U000e0067x\U000e0067": "U+E0067, which cannot be seen", "\ufff9x": "U+FFF9, which cannot be seen", "\u206a": "U+206A, which cannot be seen",
		"\xff": "bytes that are not UTF-8",
	} {
		if got := fields.Misleading(bad); !strings.HasPrefix(got, want) {
			t.Errorf("%+q: %q, want %q", bad, got, want)
		}
	}
}

func TestLegible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Ben": "Ben", "a\u202eb\x1b\u2069\xff": "a\ufffdb\ufffd\ufffd\ufffd", "\u200fفاطمة": "\u200fفاطمة"} {
		if got := fields.Legible(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// TestUnknownFieldsMisleadNobody: a notice is kept with its record, and so is shown to those who approve it.
func TestUnknownFieldsMisleadNobody(t *testing.T) {
	t.Parallel()
	r := parse(t, `{"x\u202e\u001by":1}`)
	if n := r.Notices(); len(n) != 1 || n[0].Field != "x\ufffd\ufffdy" {
		t.Errorf("%+q", n)
	}
	r.RefuseUnknown()
	if text := fmt.Sprintf("%+v", r.Err()); strings.ContainsAny(text, "\u202e\x1b") {
		t.Errorf("%+q", text)
	}
}

// TestTextsThatMislead: every text that is read is refused by the field it is in; a secret is not.
func TestTextsThatMislead(t *testing.T) {
	t.Parallel()
	r := parse(t, `{"a":"x\u202e","b":["y","\u202ez"],"c":{"key":"\u001bw"},"d":"\u202e","e":"\u202epass"}`)
	r.String("a", 0, 10)
	r.Strings("b", 5, 10)
	r.StringMap("c", 5, 10)
	r.Remark("d", 10)
	if secret, ok := r.Verbatim("e", 1, 10); !ok || secret != "\u202epass" {
		t.Errorf("a secret came back as %q, %t", secret, ok)
	}
	if got, want := fmt.Sprint(codes(t, r.Err())), "[a BAD_FORMAT b[1] BAD_FORMAT c.key BAD_FORMAT d BAD_FORMAT]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r = parse(t, `{"e":"long secret","f":5,"g":"\u0000","i":""}`)
	r.Verbatim("e", 1, 5)
	r.Verbatim("f", 1, 5)
	r.Verbatim("g", 1, 5)
	r.Verbatim("h", 1, 5)
	r.Verbatim("i", 1, 5)
	if got, want := fmt.Sprint(codes(t, r.Err())), "[e TOO_LONG f WRONG_TYPE g BAD_FORMAT i TOO_SHORT]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if e, ok := errors.AsType[*apperr.Error](r.Err()); !ok || e.Details[3].Message != "i must not be empty." {
		t.Errorf("%+v", e)
	}
}

func BenchmarkMisleading(b *testing.B) {
	for _, text := range []string{strings.Repeat("plain text ", 45), strings.Repeat("größer ", 70)} {
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			for b.Loop() {
				fields.Misleading(text)
			}
		})
	}
}
