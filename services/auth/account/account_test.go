package account_test

import (
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
	} {
		if a, b := account.EmailKey(pair[0]), account.EmailKey(pair[1]); a != b {
			t.Errorf("%q has the key %q, %q has %q", pair[0], a, pair[1], b)
		}
	}
	if account.EmailKey("a.da@example.com") == account.EmailKey("ada@example.com") {
		t.Error("dots were dropped: they matter to most mail servers")
	}
}

func FuzzEmailKey(f *testing.F) {
	f.Add("Ada@Example.com")
	f.Add("\u0130@x")
	f.Add("\u13f90") // found by fuzzing
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
		"\u202ea@b", strings.Repeat("a", 65) + "@b", "a@" + strings.Repeat("b", 253)} {
		if got, err := account.CheckEmail(bad); err == nil {
			t.Errorf("CheckEmail(%q) = %q without an error", bad, got)
		}
	}
}

func TestOpaqueTokens(t *testing.T) {
	t.Parallel()
	id := account.NewID()
	secret, hash := account.NewSecret()
	token := account.JoinToken(id, secret)
	gotID, gotSecret, ok := account.SplitToken(token)
	if !ok || gotID != id || gotSecret != secret || !account.SecretMatches(gotSecret, hash) {
		t.Errorf("SplitToken(%q) = %q, %q, %v", token, gotID, gotSecret, ok)
	}
	if strings.Contains(hash, secret) || account.SecretMatches(hash, hash) || account.SecretMatches("", "") {
		t.Error("the hash opens something")
	}
	other, _ := account.NewSecret()
	if account.SecretMatches(other, hash) {
		t.Error("another secret matches")
	}
	for _, bad := range []string{"", ".", "a.", ".a", id, token + "=", token + "A", token[:len(token)-1], id + "." + strings.Repeat("!", 43), strings.Repeat("a.", 300) + secret} {
		if _, _, ok := account.SplitToken(bad); ok {
			t.Errorf("SplitToken(%q) is ok", bad)
		}
	}
}
