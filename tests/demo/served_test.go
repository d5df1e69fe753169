package demo_test

import (
	"cmp"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/tests/demo"
)

// TestServed plays the example against the server at ECF_DEMO_URL, with the accounts in
// the file ECF_DEMO_CREDENTIALS, and compares the total, every part and every record
// with the table. It uses two logins and one event of the plan. Without ECF_DEMO_URL it
// is skipped.
func TestServed(t *testing.T) {
	t.Parallel()
	url := os.Getenv("ECF_DEMO_URL")
	if url == "" {
		t.Skip("ECF_DEMO_URL is not set: no running server to compare with")
	}
	credentials, err := demo.ReadCredentials(cmp.Or(os.Getenv("ECF_DEMO_CREDENTIALS"), "../../.data/demo-credentials"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := demo.FindExample(".")
	if err != nil {
		t.Fatal(err)
	}
	ex, err := demo.LoadExample(folder)
	if err != nil {
		t.Fatal(err)
	}
	clients := map[string]*client.Client{}
	for _, role := range []string{"user", "manager"} {
		if clients[role], err = client.New(url, client.Options{Patience: time.Minute}); err != nil {
			t.Fatal(err)
		}
		account := credentials.Accounts[role]
		if err := clients[role].Login(t.Context(), account.Email, account.Password); err != nil {
			t.Fatal(err)
		}
	}
	player := &demo.Player{User: clients["user"], Manager: clients["manager"], Key: "test-" + rand.Text(), Parallel: 5, Log: t.Logf}
	outcome, err := player.Play(t.Context(), ex)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range outcome.Compare(ex.Expected) {
		t.Error(d)
	}
}
