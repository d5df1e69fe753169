package session

import "testing"

// TestWhichHostsAreThisMachine: only there may a password be sent over http.
func TestWhichHostsAreThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "ecf.localhost": true, "127.0.0.1": true, "127.0.0.1:8080": true, "127.8.9.1:80": true, "[::1]": true, "[::1]:8080": true,
		"": false, "localhost.example.org": false, "notlocalhost": false, "127.0.0.1.example.org": false, "10.0.0.1:8080": false, "[::2]:8080": false, "0.0.0.0": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q is this machine: %t, want %t", host, got, want)
		}
	}
}

// TestSitesAreQuoted: a response repeats what browsers send, and nothing else of what a client may.
func TestSitesAreQuoted(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]string{"cross-site": "cross-site", "same-site": "same-site", "none": "none", "<script>": "elsewhere", "": "elsewhere"} {
		if got := quoteSite(site); got != want {
			t.Errorf("%q is quoted as %q, want %q", site, got, want)
		}
	}
}
