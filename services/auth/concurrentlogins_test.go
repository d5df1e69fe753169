package auth_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// TestTwoHundredLoginsAtOnce verifies that two hundred concurrent logins make no more
// concurrent hashes than there are slots, which limits their memory; that other
// requests are answered while the queue is full; that a login that finds it full is
// told to retry; and that all are answered.
func TestTwoHundredLoginsAtOnce(t *testing.T) {
	t.Parallel()
	const slots, queue, crowd = 2, 60, 200
	hasher, err := password.New(password.Options{Params: password.Params{MemoryKiB: 8 << 10, Time: 2, Threads: 1}, Slots: slots, Queue: queue, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := setupWith(t, openSQLite(t), hasher)
	in := b.signIn("ada@example.com")
	before := hasher.Made()

	client := &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: crowd}}
	t.Cleanup(client.CloseIdleConnections)
	var mu sync.Mutex
	answers := map[int]int{}
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range crowd {
		body := fmt.Sprintf(`{"email":"nobody%d@example.com","password":"wrong"}`, i)
		if i%10 == 0 {
			body = `{"email":"bob@example.com","password":` + quoted(goodPass) + `}`
		}
		wg.Go(func() {
			res, err := client.Post(b.base+"/api/v2/auth/login", "application/json", strings.NewReader(body))
			if err != nil {
				t.Errorf("a sign-in has no answer: %v", err)
				return
			}
			text, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			answers[res.StatusCode]++
			if res.StatusCode == http.StatusServiceUnavailable && (res.Header.Get("Retry-After") == "" || !strings.Contains(string(text), `"UNAVAILABLE"`)) {
				t.Errorf("turned away with %v %s", res.Header, text)
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	testkit.Eventually(t, time.Minute, func() error {
		if n := hasher.Waiting(); n < queue {
			return fmt.Errorf("%d wait", n)
		}
		return nil
	})
	rounds := 0
	for crowded := true; crowded; {
		for _, path := range []string{"/api/v2/auth/me", "/api/v2/auth/sessions", "/.well-known/jwks.json"} {
			if a := b.do("GET", path, in.access, ""); a.status != http.StatusOK {
				t.Fatalf("%s while two hundred sign in: %d %s", path, a.status, a.body)
			}
		}
		b.want(b.refresh(in.refresh), http.StatusOK, "")
		if crowded = hasher.Waiting() > 0; crowded {
			rounds++
		}
	}
	if rounds == 0 {
		t.Error("nothing else was answered while sign-ins waited")
	}
	<-done
	// On a busy machine some time out while waiting.
	served, late, away := answers[http.StatusOK]+answers[http.StatusUnauthorized], answers[http.StatusGatewayTimeout], answers[http.StatusServiceUnavailable]
	if away == 0 || served+late < slots+queue || served+late+away != crowd {
		t.Errorf("answers %v", answers)
	}
	if made := int(hasher.Made() - before); made < served || made > served+late {
		t.Errorf("%d hashes for %d logins: a refused login must not cost one", made, served)
	}
	if peak := hasher.Peak(); peak != slots {
		t.Errorf("%d hashes at once, %d slots", peak, slots)
	}
	if hasher.Memory() != slots*8<<20 {
		t.Errorf("%d bytes", hasher.Memory())
	}
	// The service's own limit: one CPU stays free for other work.
	own, err := auth.NewHasher()
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(max(1, runtime.GOMAXPROCS(0)-1)) * 19 << 20; own.Memory() != most {
		t.Errorf("hashing takes up to %d bytes, want %d", own.Memory(), most)
	}
	t.Logf("%v, %d rounds of other requests meanwhile", answers, rounds)
}
