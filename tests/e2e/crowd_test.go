package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTwoHundredSignInsStarveNobody verifies that two hundred concurrent logins are all
// answered, those that find the queue full with Retry-After, and that reads and health
// are answered as usual meanwhile.
func TestTwoHundredSignInsStarveNobody(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user := s.user(t)
		var mu sync.Mutex
		answers := map[int]int{}
		var crowd sync.WaitGroup
		for i := range 200 {
			crowd.Go(func() {
				res, err := http.Post(s.url+"/api/v2/auth/login", "application/json",
					strings.NewReader(fmt.Sprintf(`{"email":"nobody%d@example.test","password":"wrong"}`, i)))
				if err != nil {
					t.Errorf("a login has no response: %v", err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				answers[res.StatusCode]++
				switch res.StatusCode {
				case http.StatusUnauthorized, http.StatusGatewayTimeout:
				case http.StatusServiceUnavailable:
					if res.Header.Get("Retry-After") == "" {
						t.Error("503 without Retry-After")
					}
				default:
					t.Errorf("a login is answered with %d", res.StatusCode)
				}
			})
		}
		done := make(chan struct{})
		go func() { crowd.Wait(); close(done) }()
		rounds := 0
		for waiting := true; waiting; rounds++ {
			user.get("/events").want(http.StatusOK)
			user.get("/health/live").want(http.StatusOK)
			user.get("/organization").want(http.StatusOK)
			select {
			case <-done:
				waiting = false
			case <-time.After(0):
			}
		}
		if rounds < 2 || answers[http.StatusUnauthorized] == 0 {
			t.Errorf("%d rounds of other requests, answers %v", rounds, answers)
		}
		t.Logf("%d rounds of other requests, answers %v", rounds, answers)
	})
}
