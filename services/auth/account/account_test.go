package account_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/auth/account"
)

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
