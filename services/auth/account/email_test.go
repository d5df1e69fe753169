package account_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/auth/account"
)

func TestEmailKeyIsOneForWhatPeopleTakeForTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"Ada@Example.COM", "ada@example.com"},
		{" ada@example.com\n", "ada@example.com"},
		{"re\u0301sume\u0301@example.com", "résumé@example.com"},
		{"STRASSE@example.com", "straße@example.com"},
		{"ΣΊΣΥΦΟΣ@example.com", "σίσυφος@example.com"},
		{"ada@bücher.example", "Ada@XN--BCHER-KVA.example"},
		{"ada@sub.bücher.пример.рф", "ada@sub.xn--bcher-kva.xn--e1afmkfd.рф"},
		{"ada@faß.example", "ada@xn--fa-hia.example"},
	} {
		if a, b := account.EmailKey(pair[0]), account.EmailKey(pair[1]); a != b {
			t.Errorf("%q has the key %q, %q has %q", pair[0], a, pair[1], b)
		}
	}
	if account.EmailKey("a.da@example.com") == account.EmailKey("ada@example.com") {
		t.Error("dots were dropped: they matter to most mail servers")
	}
	if account.EmailKey("ada@xn--bcher-kva.example") == account.EmailKey("ada@xn--bcher-kva.test") {
		t.Error("two domains have one key")
	}
}

// TestEmailKeys: the key that an account of release 2.0 may have is looked up as well.
func TestEmailKeys(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"Ada@example.com":                 "ada@example.com",
		"ada@bücher.example":              "ada@bücher.example ada@xn--bcher-kva.example",
		"Ada@xn--bcher-kva.Example":       "ada@bücher.example ada@xn--bcher-kva.example",
		"ada@xn--\u00fc.example":          "ada@xn--ü.example",
		"no address":                      "no address",
		"ada@" + strings.Repeat("ü", 300): "ada@" + strings.Repeat("ü", 300),
	} {
		if got := strings.Join(account.EmailKeys(email), " "); got != want {
			t.Errorf("%q: %q, want %q", email, got, want)
		}
	}
}

func FuzzEmailKey(f *testing.F) {
	f.Add("Ada@Example.com")
	f.Add("\u0130@x")
	f.Add("\u13f90") // found by fuzzing
	f.Add("x@XN--BCHER-KVA.example")
	f.Add("x@xn--fa-hia.\uff58n--bcher-kva")
	f.Fuzz(func(t *testing.T, email string) {
		key := account.EmailKey(email)
		if again := account.EmailKey(key); again != key && strings.TrimSpace(key) == key {
			t.Errorf("the key of %q is %q, and the key of that is %q", email, key, again)
		}
	})
}

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a@b", "Ada.Lovelace+ecf@example.com", "üser@exämple.test", " a@b.test "} {
		if got, err := account.CheckEmail(good); err != nil || got != strings.TrimSpace(good) {
			t.Errorf("CheckEmail(%q) = %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\r\nBcc: x@y", "a@.b", "a@b.", "a@b..c", "<a@b>", "a\x00@b",
		"\u202ea@b", "a\u200bb@c", "a\u034fb@c", "a\ufe0fb@c", "\u3164@b", "a\u2800@b", strings.Repeat("a", 65) + "@b", "a@" + strings.Repeat("b", 253)} {
		if got, err := account.CheckEmail(bad); err == nil {
			t.Errorf("CheckEmail(%q) = %q without an error", bad, got)
		}
	}
}

// TestAnAddressCannotPassForAnother: internationalized addresses are accepted, and one that mixes
// scripts or is written in another form than others write it is refused with the reason.
func TestAnAddressCannotPassForAnother(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"müller@bücher.example", "иван@пример.рф", "ivan@пример.рф", "сео@example.org", "用户@例え.jp", "taro山田さんタロー@例え.jp",
		"user@faß.example", "x@xn--bcher-kva.example", "x@XN--BCHER-KVA.example", "δοκιμή@παράδειγμα.gr", "o'neil_+x@sub.example.org", "مثال@مثال.example"} {
		if got, err := account.CheckEmail(good); err != nil || got != good {
			t.Errorf("%q: %q, %v", good, got, err)
		}
	}
	for bad, want := range map[string]struct {
		mixed bool
		says  string
	}{
		"m\u0430nager@example.org":   {true, "U+0430, Cyrillic"},
		"manager@ex\u0430mple.org":   {true, "U+0430, Cyrillic"},
		"\u03bfscar@example.org":     {true, "U+03BF, Greek"},
		"\u0585scar@example.org":     {true, "U+0585, Armenian"},
		"\u0441ео.smith@example.org": {true, "Cyrillic and Latin"},
		"山a\u0430@example.org":       {true, "Han and Latin"},
		"\uff4danager@example.org":   {false, `another form of "m"`},
		"o\ufb01ce@example.org":      {false, `another form of "fi"`},
		"x@\uff21.example":           {false, `email must have its domain as "a.example"`},
		"x@a\u3002example":           {false, `email must have its domain as "a.example"`},
		"x@xn--exmple-4nf.example":   {true, "U+0430, Cyrillic"},
		"x@xn--\u00fc.example":       {false, "not a valid internationalized domain name"},
		"a\u034fb@example.org":       {false, "invisible character U+034F"},
		"x@exa\u3164mple.org":        {false, "invisible character U+3164"},
	} {
		_, err := account.CheckEmail(bad)
		e, ok := errors.AsType[*account.EmailError](err)
		if !ok || e.Mixed != want.mixed || !strings.Contains(e.Message, want.says) || !strings.HasPrefix(e.Message, "email ") {
			t.Errorf("%q: %v, want %+v", bad, err, want)
		}
	}
}

func TestLookAlikes(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"ada@example.org":         "",
		"\u0441ео@example.org":    "с (U+0441, Cyrillic), е (U+0435, Cyrillic), о (U+043E, Cyrillic)",
		"x@xn--bcher-kva.example": "ü (U+00FC, Latin)",
		"\u0251d\u0251@x.example": "ɑ (U+0251, Latin)",
	} {
		if got := account.LookAlikes(email); got != want {
			t.Errorf("%q: %q, want %q", email, got, want)
		}
	}
	if got := account.LookAlikes("абвгдежзиклмноп@x.example"); !strings.HasSuffix(got, "and 3 more") {
		t.Errorf("a long one: %q", got)
	}
}
