package password_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// cheap parameters make tests fast that are not about the cost.
var cheap = password.Params{MemoryKiB: 64, Time: 1, Threads: 1}

func hasher(t testing.TB, o password.Options) *password.Hasher {
	t.Helper()
	h, err := password.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func plenty(p password.Params) password.Options {
	return password.Options{Params: p, Slots: 2, Queue: 1000, Wait: time.Minute}
}

// TestHashIsArgon2idAtTheRecommendedCost verifies statement 5.
func TestHashIsArgon2idAtTheRecommendedCost(t *testing.T) {
	t.Parallel()
	h := hasher(t, plenty(password.Recommended()))
	hash, err := h.Hash(t.Context(), "correct horse battery staple")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(hash, "$")
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || len(parts) != 6 || len(parts[4]) != 22 || len(parts[5]) != 43 {
		t.Errorf("hash %s", hash)
	}
	again, err := h.Hash(t.Context(), "correct horse battery staple")
	if err != nil || again == hash {
		t.Errorf("two hashes of one password are equal (%v)", err)
	}
}

// TestVerify verifies that passwords match exactly as typed, without truncation
// (statement 6).
func TestVerify(t *testing.T) {
	t.Parallel()
	h := hasher(t, plenty(cheap))
	long := strings.Repeat("x", 127)
	for _, pw := range []string{"correct horse", long + "a", strings.Repeat("パスワード", 20), " leading and trailing ", "tab\tnew\nline", "🦆🦆🦆", "e\u0301te\u0301"} {
		hash, err := h.Hash(t.Context(), pw)
		if err != nil {
			t.Fatal(err)
		}
		if ok, outdated, err := h.Verify(t.Context(), hash, pw); !ok || outdated || err != nil {
			t.Errorf("%q: %v, %v, %v", pw, ok, outdated, err)
		}
		for _, wrong := range []string{"", pw + " ", pw[:len(pw)-1], strings.ToUpper(pw) + "x", long + "b"} {
			if ok, _, _ := h.Verify(t.Context(), hash, wrong); ok {
				t.Errorf("%q verifies as %q", wrong, pw)
			}
		}
	}
	hash, err := h.Hash(t.Context(), "\u00e9t\u00e9") // composed
	if err != nil {
		t.Fatal(err)
	}
	if ok, _, err := h.Verify(t.Context(), hash, "e\u0301te\u0301"); !ok || err != nil {
		t.Error("the same text in another normal form is another password")
	}
}

func TestOutdatedHashesVerifyAndSaySo(t *testing.T) {
	t.Parallel()
	old, err := hasher(t, plenty(cheap)).Hash(t.Context(), "the password")
	if err != nil {
		t.Fatal(err)
	}
	h := hasher(t, plenty(password.Params{MemoryKiB: 128, Time: 1, Threads: 1}))
	if ok, outdated, err := h.Verify(t.Context(), old, "the password"); !ok || !outdated || err != nil {
		t.Errorf("%v, %v, %v", ok, outdated, err)
	}
}

// TestDamagedHashesMatchNothingAtTheSameCost verifies that a damaged or missing hash
// costs the same as one that does not match.
func TestDamagedHashesMatchNothingAtTheSameCost(t *testing.T) {
	t.Parallel()
	h := hasher(t, plenty(cheap))
	good, err := h.Hash(t.Context(), "the password")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "the password", "$argon2id$", good[:len(good)-1] + "!", strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "m=64", "m=4294967295", 1), strings.Replace(good, "t=1", "t=0", 1),
		strings.Replace(good, "t=1", "t=4000000000", 1), strings.Replace(good, "p=1", "p=0", 1), strings.Replace(good, "p=1", "p=1,x=2", 1),
		strings.Replace(good, "m=64", "m=+64", 1), good + "$", "$2a$10$" + strings.Repeat("a", 53)} {
		before := h.Made()
		ok, _, err := h.Verify(t.Context(), bad, "the password")
		if ok || err != nil || h.Made() != before+1 {
			t.Errorf("%q: %v, %v, %d hashes", bad, ok, err, h.Made()-before)
		}
	}
	before := h.Made()
	if err := h.VerifyNothing(t.Context(), "the password"); err != nil || h.Made() != before+1 {
		t.Errorf("VerifyNothing: %v, %d hashes", err, h.Made()-before)
	}
}

// TestNewHashesNothing verifies that a process without logins does not hold the memory
// of a hash, and yet a missing account costs the same as another one.
func TestNewHashesNothing(t *testing.T) {
	t.Parallel()
	h := hasher(t, plenty(cheap))
	if h.Peak() != 0 {
		t.Errorf("New made %d hashes", h.Peak())
	}
	if err := h.VerifyNothing(t.Context(), "the password"); err != nil || h.Peak() != 1 || h.Made() != 1 {
		t.Errorf("VerifyNothing: %v, %d hashes", err, h.Made())
	}
}

// TestBoundedSlotsAndQueue verifies that of two hundred concurrent hashes as many as fit
// are made, the others are told to retry, and never more run than there are slots.
func TestBoundedSlotsAndQueue(t *testing.T) {
	t.Parallel()
	h := hasher(t, password.Options{Params: password.Params{MemoryKiB: 8 << 10, Time: 2, Threads: 1}, Slots: 2, Queue: 20, Wait: time.Minute})
	var wg sync.WaitGroup
	var mu sync.Mutex
	served, busy := 0, 0
	start := make(chan struct{})
	for range 200 {
		wg.Go(func() {
			<-start
			err := h.VerifyNothing(context.Background(), "x")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				served++
			case errors.Is(err, password.ErrBusy):
				busy++
			default:
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	if served < 22 || served+busy != 200 || busy == 0 {
		t.Errorf("%d served, %d turned away", served, busy)
	}
	if int(h.Made()) != served {
		t.Errorf("%d hashes for %d served: those turned away were hashed", h.Made(), served)
	}
	if err := h.VerifyNothing(t.Context(), "x"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	h := hasher(t, password.Options{Params: cheap, Slots: 1, Queue: 5, Wait: time.Millisecond})
	// A millisecond may pass before a free slot is acquired.
	var release func()
	testkit.Eventually(t, time.Minute, func() (err error) {
		release, err = h.Acquire(t.Context())
		return err
	})
	if err := h.VerifyNothing(t.Context(), "x"); !errors.Is(err, password.ErrBusy) {
		t.Errorf("after the wait: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.VerifyNothing(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left: %v", err)
	}
	release()
	testkit.Eventually(t, time.Minute, func() error { return h.VerifyNothing(t.Context(), "x") })
}

func TestImpossibleOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []password.Options{{}, {Params: cheap}, {Params: cheap, Slots: 1, Queue: -1}, {Slots: 1}} {
		if _, err := password.New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// TestPolicy verifies statement 7.
func TestPolicy(t *testing.T) {
	t.Parallel()
	p := password.NewPolicy()
	for _, good := range []string{
		"mellow otter sings twice", "Kx7#mQ2$vR9!pL4", "nzk4g2xw7qh3tjb5mfya6dceru", "パスワードではない長い文章です", "     a lot of space    for it",
		"der graue hund schläft", strings.Repeat("ab", 5) + "zrqkwmvtxjh", "my 3 cats eat 12 tins a week",
	} {
		if f := p.Check(good, "ada@example.com", "Ada Lovelace"); f != nil {
			t.Errorf("%q is refused: %v", good, f)
		}
	}
	for _, common := range []string{
		"passwordpassword", "PasswordPassword", "P@ssw0rdP@ssw0rd", "123456789012345", "12345678901234567890", "qwertyuiopasdfgh",
		"qwertyuiop12345", "aaaaaaaaaaaaaaa", "abcdefghijklmno", "zyxwvutsrqponml", "iloveyouiloveyou", "Password12345678!", "letmeinletmeinletmein",
		"Summer2026Summer2026", "LondonLondon2026!", "adminadminadmin123", "1q2w3e4r5t6y7u8", "qwerty123456789!", "abcabcabcabcabc", "zqzqzqzqzqzqzqzq",
		"eventcarbonfootprint", "correcthorsebatterystaple", "changemechangeme", "January2026January", "adalovelace2026!", "lovelacelovelace", "ada@example.com1",
		"password password", "Liverpool2020!!", "111111111111111", "000000000000000", "michaeljordan2023",
	} {
		f := p.Check(common, "ada@example.com", "Ada Lovelace")
		if f == nil || f.Code != password.Common {
			t.Errorf("%q: %v, want %s", common, f, password.Common)
		}
	}
	for pw, code := range map[string]string{
		"": password.TooShort, "fourteen chars": password.TooShort, "e\u0301" + strings.Repeat("x", 13): password.TooShort,
		strings.Repeat("abcdefgh ", 15): password.TooLong,
	} {
		f := p.Check(pw)
		if f == nil || f.Code != code {
			t.Errorf("%q: %v, want %s", pw, f, code)
		}
		if f != nil && len(pw) > 3 && strings.Contains(f.Message, pw) {
			t.Errorf("the message quotes the password: %s", f.Message)
		}
	}
	if f := p.Check(strings.Repeat("語彙", 64)[:len("語彙")*32] + strings.Repeat("ö", 20) + "mellow otter sings"); f != nil {
		t.Errorf("a long password of any characters: %v", f)
	}
}

func BenchmarkHash(b *testing.B) {
	h := hasher(b, plenty(password.Recommended()))
	for b.Loop() {
		if err := h.VerifyNothing(context.Background(), "x"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPolicy(b *testing.B) {
	p := password.NewPolicy()
	pw := strings.Repeat("mellow otter sings ", 6)
	for b.Loop() {
		_ = p.Check(pw)
	}
}
