package identity_test

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// recentKeys are keys that are cached, except when unknown is set.
type recentKeys struct {
	keys
	unknown bool // nothing is cached
}

func (k *recentKeys) KeyAt(kid string, _ time.Time) (crypto.PublicKey, bool) {
	key, ok := k.keys[kid]
	return key, ok && !k.unknown
}

// recentSessions caches one state.
type recentSessions struct {
	asked
	known bool
}

func (s *recentSessions) RecentAt(string, time.Time) (identity.State, bool) { return s.state, s.known }

// another returns a new public key.
func another(t *testing.T) crypto.PublicKey {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// recalling returns a verifier with a cache for the tokens of the bundle.
func (b *bundle) recalling() (*identity.Verifier, *recentKeys) {
	keys := &recentKeys{keys: b.keys}
	return identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: keys, Now: func() time.Time { return b.now }}), keys
}

// remembered verifies a token twice, so that it is cached by its bytes.
func remembered(t *testing.T, v *identity.Verifier, token string) {
	t.Helper()
	for range 2 {
		if _, err := v.Verify(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, keys := b.recalling()
	token := b.sign(b.header(), b.claims())
	if _, ok := v.Recall(token, b.now); ok {
		t.Fatal("a token that nobody has verified is recalled")
	}
	remembered(t, v, token)
	want, err := b.verifier.Verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := v.Recall(token, b.now); !ok || got != want {
		t.Fatalf("recalled %t as %+v, want %+v", ok, got, want)
	}
	for i := range len(token) {
		other := []byte(token)
		other[i]++
		if p, ok := v.Recall(string(other), b.now); ok {
			t.Fatalf("with byte %d changed it is recalled as %+v", i, p)
		}
	}
	for name, other := range map[string]string{"empty": "", "its end": token[len(token)-40:], "its beginning": token[:len(token)-1], "more": token + "x"} {
		if p, ok := v.Recall(other, b.now); ok {
			t.Errorf("%s is recalled as %+v", name, p)
		}
	}
	if _, ok := v.Recall(token, want.Expires); ok {
		t.Error("it is recalled when it has expired")
	}
	keys.unknown = true
	if _, ok := v.Recall(token, b.now); ok {
		t.Error("it is recalled though its key would have to be asked for")
	}
	keys.unknown = false
	public := keys.keys[b.kid]
	keys.keys[b.kid] = another(t)
	if _, ok := v.Recall(token, b.now); ok {
		t.Error("it is recalled although another key has the id of its key")
	}
	keys.keys[b.kid] = public
	if _, ok := v.Recall(token, b.now); !ok {
		t.Error("it is not recalled under its key")
	}
	delete(keys.keys, b.kid)
	if _, ok := v.Recall(token, b.now); ok {
		t.Error("it is recalled after its key was taken back")
	}
}

// TestRecallKeepsNothingOfARequest verifies that the cache does not retain the buffer of a
// request.
func TestRecallKeepsNothingOfARequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, _ := b.recalling()
	token := b.sign(b.header(), b.claims())
	room := []byte(token)
	remembered(t, v, unsafe.String(unsafe.SliceData(room), len(room)))
	clear(room)
	if _, ok := v.Recall(token, b.now); !ok {
		t.Error("the token is forgotten with its request")
	}
	if _, ok := v.Recall(string(room), b.now); ok {
		t.Error("other bytes of the same request are recalled")
	}
}

// TestTokensInOneSlotDoNotTakeTurns verifies that most tokens that fit stay cached while more
// alternate, and are replaced once unused.
func TestTokensInOneSlotDoNotTakeTurns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, _ := b.recalling()
	for generation := range 2 {
		tokens := make([]string, 1024)
		for i := range tokens {
			tokens[i] = b.sign(b.header(), with(b.claims(), "jti", fmt.Sprint(generation, i)))
		}
		recalled := 0
		// A token is cached when it is verified again, and replaces an unused one with its
		// fourth miss after that, so all that find a place have it in the sixth turn.
		for range 6 {
			recalled = 0
			for _, token := range tokens {
				p, ok := v.Recall(token, b.now)
				if ok {
					recalled++
				}
				if _, err := v.Verify(t.Context(), token); err != nil {
					t.Fatal(err)
				}
				if want, err := b.verifier.Verify(t.Context(), token); err != nil || ok && p != want {
					t.Fatalf("recalled as %+v, want %+v, %v", p, want, err)
				}
			}
		}
		if recalled < 350 || recalled > 512 {
			t.Errorf("generation %d: of 1024 tokens used in turns %d are recalled, want 350 to 512", generation, recalled)
		}
	}
}

// TestAClockThatIsSetBackEndsWhatIsCached verifies that a cached token is refused before the
// time from which it is valid, like any other: of two services, or caches, one would admit
// a change and the other refuse to write it to the audit log, until the token expires.
func TestAClockThatIsSetBackEndsWhatIsCached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	issued := b.now
	for what, c := range map[string]struct {
		notBefore any
		early     time.Duration // the last one that is accepted
	}{
		"issued":     {nil, 30 * time.Second},
		"not before": {issued.Add(-10 * time.Second).Unix(), 10 * time.Second},
	} {
		b.now = issued
		v, _ := b.recalling()
		claims := b.claims()
		if c.notBefore != nil {
			claims = with(claims, "nbf", c.notBefore)
		}
		token := b.sign(b.header(), claims)
		remembered(t, v, token)
		for early, want := range map[time.Duration]bool{0: true, c.early: true, c.early + time.Second: false, time.Hour: false} {
			b.now = issued.Add(-early)
			if _, ok := v.Recall(token, b.now); ok != want {
				t.Errorf("%s: %v before it was issued it is recalled: %t", what, early, ok)
			}
			if _, err := v.Verify(t.Context(), token); (err == nil) != want {
				t.Errorf("%s: %v before it was issued: %v", what, early, err)
			}
			// What was removed from the cache is cached again.
			b.now = issued
			remembered(t, v, token)
		}
	}
}

// TestRecallAdmitsNobodyElse verifies under random changes of clock, keys and session that
// Recall returns only what a verifier without a cache does.
func TestRecallAdmitsNobodyElse(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	b := setup(t)
	v, keys := b.recalling()
	sessions := &recentSessions{known: true}
	active, without := identity.ActiveTokens{Tokens: v, Sessions: sessions}, identity.ActiveTokens{Tokens: b.verifier, Sessions: sessions}
	recall := active.Recall()
	var tokens []string
	for i := range 8 {
		tokens = append(tokens, b.sign(b.header(), with(b.claims(), "jti", fmt.Sprint(i), "role", []string{"user", "manager"}[i%2], "exp", b.now.Unix()+int64(60*(i+1)))))
	}
	public, start, recalled := b.keys[b.kid], b.now, 0
	for range 5000 {
		switch random.IntN(12) {
		case 0:
			b.now = start.Add(time.Duration(random.IntN(600)) * time.Second)
		case 1:
			delete(keys.keys, b.kid)
		case 2, 3:
			keys.keys[b.kid] = public
		case 4:
			keys.unknown = random.IntN(3) == 0
		case 5:
			sessions.known = random.IntN(4) > 0
		case 6:
			sessions.state = identity.State{Active: random.IntN(4) > 0, UserID: "u1", Org: "o1", Role: []identity.Role{identity.User, identity.Manager}[random.IntN(2)]}
		}
		token := tokens[random.IntN(len(tokens))]
		p, ok := recall(token, b.now)
		want, err := without.Verify(t.Context(), token)
		if ok && (err != nil || p != want) {
			t.Fatalf("recalled as %+v; verified: %+v, %v", p, want, err)
		}
		if got, not := active.Verify(t.Context(), token); got != want || apperr.CodeOf(not) != apperr.CodeOf(err) {
			t.Fatalf("verified by what recalls: %+v, %v; without: %+v, %v", got, not, want, err)
		}
		if ok {
			recalled++
		}
	}
	if recalled < 100 {
		t.Errorf("only %d of 5000 were recalled", recalled)
	}
}

// TestRecallOfWhatIsNotRemembered verifies that verifiers and sessions without caches have no
// Recall.
func TestRecallOfWhatIsNotRemembered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, _ := b.recalling()
	if (identity.ActiveTokens{Tokens: v, Sessions: &asked{}}).Recall() != nil {
		t.Error("sessions that are not remembered are recalled")
	}
	type verifies struct{ identity.Tokens }
	if (identity.ActiveTokens{Tokens: verifies{v}, Sessions: &recentSessions{}}).Recall() != nil || identity.RecallOf(verifies{v}) != nil {
		t.Error("tokens that are not remembered are recalled")
	}
	remembered(t, b.verifier, b.sign(b.header(), b.claims()))
	if _, ok := b.verifier.Recall(b.sign(b.header(), b.claims()), b.now); ok {
		t.Error("a token is recalled under keys that cannot be known at once")
	}
}

func TestAllocationsOfARecall(t *testing.T) {
	testkit.WithoutRace(t)
	b := setup(t)
	v, _ := b.recalling()
	token := b.sign(b.header(), b.claims())
	remembered(t, v, token)
	recall := identity.ActiveTokens{Tokens: v, Sessions: &recentSessions{known: true, asked: asked{state: identity.State{Active: true, UserID: "u1", Org: "o1", Role: identity.Manager}}}}.Recall()
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := recall(token, b.now); !ok {
			t.Fatal("it is not recalled")
		}
	}); n > 0 {
		t.Errorf("a recall allocates %v times", n)
	}
}
