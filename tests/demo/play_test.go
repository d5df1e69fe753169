package demo

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

func example(t *testing.T) *Example {
	t.Helper()
	folder, err := FindExample(".")
	if err != nil {
		t.Fatal(err)
	}
	ex, err := LoadExample(folder)
	if err != nil {
		t.Fatal(err)
	}
	return ex
}

// loggedIn returns a client with a session that does not actually wait between retries.
func loggedIn(t *testing.T, url string, patience time.Duration) *client.Client {
	t.Helper()
	c, err := client.New(url, client.Options{
		Patience: patience, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		// The transport itself retries a read on a reused connection, which would hide
		// the client's retries.
		HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Login(t.Context(), "user@demo.test", "secret"); err != nil {
		t.Fatal(err)
	}
	return c
}

// firstN fails the first n requests whose path contains path.
func firstN(n int, path string, problem fault) func(*http.Request, int) fault {
	return func(r *http.Request, _ int) fault {
		if n > 0 && strings.Contains(r.URL.Path, path) {
			n--
			return problem
		}
		return fine
	}
}

func play(t *testing.T, ex *Example, url string, patience time.Duration) (*Outcome, error) {
	t.Helper()
	p := &Player{User: loggedIn(t, url, patience), Manager: loggedIn(t, url, patience), Key: "run-1", Parallel: 4}
	return p.Play(t.Context(), ex)
}

func TestPlay(t *testing.T) {
	t.Parallel()
	ex := example(t)
	fake, url := startFake(t, ex, nil)
	outcome, err := play(t, ex, url, -1)
	if err != nil {
		t.Fatal(err)
	}
	if differences := outcome.Compare(ex.Expected); len(differences) > 0 {
		t.Errorf("differences: %v", differences)
	}
	if seen := fake.tally(); seen.logins != 2 || seen.events != 1 || seen.records != len(ex.Inputs) {
		t.Errorf("seen: %+v", seen)
	}
	var report bytes.Buffer
	if err := outcome.Report(&report, ex); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{ex.Event.Title, "flights", "scope 2", "upstream", ex.Expected.Total().String(), "100.0%"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, report.String())
		}
	}
}

// TestPlayThroughFaults verifies that each record exists exactly once although the
// server is lost repeatedly, before and after executing requests, tokens expire and
// limits are reached.
func TestPlayThroughFaults(t *testing.T) {
	t.Parallel()
	ex := example(t)
	for round := range 8 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			dice, renewed := rand.New(rand.NewPCG(seed, 1)), map[string]bool{}
			faultOf := func(r *http.Request, n int) fault {
				if n <= 2 || dice.IntN(3) > 0 { // the logins succeed
					return fine
				}
				// An expired token is renewed once per request, so a second time would
				// rightly be an error.
				if request := r.Method + " " + r.URL.Path; dice.IntN(10) == 0 && n%50 == 0 && !renewed[request] {
					renewed[request] = true
					return expired
				}
				return []fault{lostBefore, lostAfter, limited, away}[dice.IntN(4)]
			}
			fake, url := startFake(t, ex, faultOf)
			outcome, err := play(t, ex, url, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if differences := outcome.Compare(ex.Expected); len(differences) > 0 {
				t.Errorf("differences: %v", differences)
			}
			if seen := fake.tally(); seen.events != 1 || seen.records != len(ex.Inputs) || seen.logins != 2 {
				t.Errorf("seen: %+v", seen)
			}
		})
	}
}

// TestPlayWithEachRequestLost loses the response of each request in turn.
func TestPlayWithEachRequestLost(t *testing.T) {
	t.Parallel()
	ex := example(t)
	small := &Example{Event: ex.Event, Inputs: ex.Inputs[:2]}
	for _, row := range ex.Expected {
		if row.Record == small.Inputs[0].Reference || row.Record == small.Inputs[1].Reference {
			small.Expected = append(small.Expected, row)
		}
	}
	for lost := 3; lost < 14; lost++ {
		fake, url := startFake(t, small, func(_ *http.Request, n int) fault {
			if n == lost {
				return lostAfter
			}
			return fine
		})
		outcome, err := play(t, small, url, time.Minute)
		if err != nil {
			t.Errorf("request %d lost: %v", lost, err)
			continue
		}
		seen := fake.tally()
		if d := outcome.Compare(small.Expected); len(d) > 0 || seen.events != 1 || seen.records != 2 {
			t.Errorf("request %d lost: seen %+v, differences %v", lost, seen, d)
		}
	}
}

func TestPlayGivesUp(t *testing.T) {
	t.Parallel()
	ex := example(t)
	_, url := startFake(t, ex, firstN(1, "/flights", limited))
	_, err := play(t, ex, url, -1)
	if client.CodeOf(err) != client.CodeRateLimited {
		t.Errorf("got %v", err)
	}
}

func TestResultThatNeverComes(t *testing.T) {
	t.Parallel()
	fake, url := startFake(t, example(t), nil)
	fake.never = true
	c := loggedIn(t, url, -1)
	p := &Player{User: c, Manager: c, Deadline: 500 * time.Millisecond}
	if _, err := p.awaitResult(t.Context(), "event-1", 1); !errors.Is(err, errNotYet) || !strings.Contains(err.Error(), "recalculating") {
		t.Errorf("got %v", err)
	}
	fake.mu.Lock()
	fake.never = false
	fake.mu.Unlock()
	p.Deadline = time.Minute
	if _, err := p.awaitResult(t.Context(), "event-1", 1); !errors.Is(err, errNotYet) || !strings.Contains(err.Error(), "it is current but counts") {
		t.Errorf("got %v", err)
	}
}

func TestCompareFindsDifferences(t *testing.T) {
	t.Parallel()
	ex := example(t)
	fake, url := startFake(t, ex, nil)
	fake.adjust = 1
	outcome, err := play(t, ex, url, -1)
	if err != nil {
		t.Fatal(err)
	}
	outcome.Records["VEN-001"]--
	outcome.Records["MORE"] = 5
	delete(outcome.Records, "FLT-001")
	differences := outcome.Compare(ex.Expected)
	var what []string
	for _, d := range differences {
		what = append(what, d.What)
	}
	if got, want := strings.Join(what, ", "), "total, record FLT-001, record MORE, record VEN-001"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := fmt.Sprintf("total: got %s kg, expected %s kg, off by 0.000001 kg", ex.Expected.Total()+1, ex.Expected.Total())
	if got := differences[0].String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSpreadsheetIsTheSame verifies that the flights as a spreadsheet equal the flights
// as JSON.
func TestSpreadsheetIsTheSame(t *testing.T) {
	t.Parallel()
	folder, err := FindExample(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "flights.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var fromJSON []map[string]string
	for _, in := range example(t).Inputs {
		if in.Type != "flights" {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(in.Body, &fields); err != nil {
			t.Fatal(err)
		}
		cells := map[string]string{}
		for name, value := range fields {
			cells[name] = strings.Trim(fmt.Sprint(value), "[]") // a list is written with spaces
		}
		fromJSON = append(fromJSON, cells)
	}
	if len(rows)-1 != len(fromJSON) {
		t.Fatalf("%d rows, %d records", len(rows)-1, len(fromJSON))
	}
	for i, row := range rows[1:] {
		cells := map[string]string{}
		for k, name := range rows[0] {
			if row[k] != "" {
				cells[name] = row[k]
			}
		}
		if !maps.Equal(cells, fromJSON[i]) {
			t.Errorf("row %d: %v, in JSON %v", i+2, cells, fromJSON[i])
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo-credentials")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# made on the first start\nurl http://127.0.0.1:8080\n\nadmin admin@demo.test a-b-c\r\nuser user@demo.test x=1#2\n")
	c, err := ReadCredentials(path)
	if err != nil || c.URL != "http://127.0.0.1:8080" || c.Accounts["admin"] != (Account{"admin@demo.test", "a-b-c"}) || c.Accounts["user"].Password != "x=1#2" {
		t.Errorf("got %+v, %v", c, err)
	}
	write("user user@demo.test pass word \n")
	if c, err := ReadCredentials(path); err != nil || c.Accounts["user"].Password != "pass word" {
		t.Errorf("a password with a space: got %+v, %v", c, err)
	}
	write("user password\n")
	if _, err := ReadCredentials(path); err == nil || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v, want an error without the password", err)
	}
}
