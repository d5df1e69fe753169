package standalone_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
)

// TestARestoreEndsSessions verifies that a session that was signed out after a backup, such as a stolen one, is not open
// again once the backup is restored, where the signing keys are the same.
func TestARestoreEndsSessions(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	source := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_SIGNING_KEYS_DIR": keys, "ECF_ISSUER": "http://ecf.test"}}
	org := source.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	source.must(password+"\n", "user", "create", "--org", org, "--email", "admin@example.test", "--role", "admin")
	base := source.serve()
	status, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"admin@example.test","password":"`+password+`"}`)
	var signedIn struct {
		Data struct{ AccessToken, RefreshToken string }
	}
	if err := json.Unmarshal([]byte(body), &signedIn); err != nil || status != http.StatusOK {
		t.Fatalf("sign-in: %d %s: %v", status, body, err)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	source.must("", "backup", "--to", backup)
	if status, body := ask(t, "POST", base+"/api/v2/auth/logout", signedIn.Data.AccessToken, ""); status != http.StatusOK {
		t.Fatalf("sign-out: %d %s", status, body)
	}
	for name, address := range map[string]string{"file": "", "mongodb": emptyMongo(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_SIGNING_KEYS_DIR": keys, "ECF_ISSUER": "http://ecf.test", "ECF_MONGODB_URI": address}}
			target.must("", "restore", "--from", backup)
			base := target.serve()
			if status, body := ask(t, "POST", base+"/api/v2/auth/refresh", "", `{"refreshToken":"`+signedIn.Data.RefreshToken+`"}`); status != http.StatusUnauthorized {
				t.Errorf("the refresh token: %d %s", status, body)
			}
			if status, body := ask(t, "GET", base+"/api/v2/auth/me", signedIn.Data.AccessToken, ""); status != http.StatusUnauthorized {
				t.Errorf("the access token: %d %s", status, body)
			}
			if status, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"admin@example.test","password":"`+password+`"}`); status != http.StatusOK {
				t.Errorf("sign-in after the restore: %d %s", status, body)
			}
		})
	}
}
