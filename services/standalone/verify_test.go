package standalone_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// reportOf returns a bundle of one flight, signed where sign is set.
func reportOf(t *testing.T, sign bool) bundle.Bundle {
	t.Helper()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026", Engine: footprint.NewestEngine}
	decoded, err := footprint.Decode("flights", []byte(`{"from":"LHR","to":"JFK","passengers":3,"group":"staff"}`), ev)
	if err != nil {
		t.Fatal(err)
	}
	built, err := bundle.Build(bundle.Source{Event: bundle.Event{ID: "e1", Title: "Gala", Context: bundle.ContextOf(ev)}, FactorSet: ev.FactorSet, Engine: ev.Engine,
		Revision: 2, CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: bundle.Tree{Fanout: 512, Levels: 2},
		Records: []bundle.Input{{ID: "r1", Type: "flights", Seq: 1, Revision: 3, Fields: decoded.Fields}}})
	if err != nil {
		t.Fatal(err)
	}
	b := built.Bundle
	if sign {
		if b, err = b.Sign(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestVerifyTellsWhatIsWrong: a valid bundle, a changed one, an unsigned one, one with another key, and an old
// revision are distinguished.
func TestVerifyTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{}}
	signed, plain := reportOf(t, true), reportOf(t, false)
	text := func(b bundle.Bundle) []byte {
		out, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	file := func(name string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys := func(kid string) []byte {
		out, err := json.Marshal(map[string]any{"keys": []any{map[string]string{"kid": kid}}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	good, bare := file("good.json", text(signed)), file("bare.json", text(plain))
	changed := file("changed.json", bytes.Replace(text(signed), []byte(`"passengers":3`), []byte(`"passengers":4`), 1))
	forged := plain
	forged.Result.Total.KgCO2e = footprint.MassOf(1_000_000_000)
	forged, err := forged.Rehash()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := file("keys.json", keys(signed.Signature.KeyID)), file("keys.json", keys("another"))
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/.well-known/report-keys.json":
			_, _ = w.Write(keys(signed.Signature.KeyID))
		case r.URL.Path == "/api/v2/events/e1/results" && r.Header.Get("Authorization") == "Bearer secret":
			_, _ = w.Write([]byte(`{"success":true,"data":{"revision":3,"calculatedAt":"2026-06-13T09:00:00.000Z"}}`))
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(service.Close)
	token := file("token", []byte("secret\n"))
	for _, s := range []struct {
		name string
		args []string
		out  string // expected output
		err  string // empty: the bundle is good
	}{
		{"good", []string{good}, `right to the last digit: "Gala", revision 2`, ""},
		{"the hash on the page", []string{good}, "Hash of the report, as on its page: " + signed.Hashes.Content + ".\n", ""},
		{"it names the event", []string{good}, "Event e1, 2026-06-10 to 2026-06-11, factor set desnz-2026, calculated at 2026-06-12T09:00:00.000Z", ""},
		{"our keys", []string{"--keys=" + ours, good}, "signed with the key", ""},
		{"our keys by address", []string{"--keys=" + service.URL + "/.well-known/report-keys.json", good}, "signed with the key", ""},
		{"other keys", []string{"--keys=" + theirs, good}, "", "not one of the 1"},
		{"unsigned", []string{bare}, "nothing proves who created it", ""},
		{"unsigned, and a signature is required", []string{"--require-signature", bare}, "", "not signed"},
		{"unsigned, beside keys", []string{"--keys=" + ours, bare}, "", "not signed"},
		{"changed", []string{changed}, "inputHash", "changed after it was made"},
		{"forged with its hashes", []string{file("forged.json", text(forged))}, "result.total.kgCO2e", "wrote them anew"},
		{"a newer revision", []string{"--server=" + service.URL, "--token-file=" + token, good}, "A newer revision exists: 3", ""},
		{"with the address that a server prints", []string{"--server=" + service.URL + "/api/v2/", "--token-file=" + token, good}, "A newer revision exists: 3", ""},
		{"no token", []string{"--server=" + service.URL, good}, "", "--token-file takes a file"},
	} {
		out, err := c.run("", append([]string{"verify"}, s.args...)...)
		if !strings.Contains(out, s.out) || (err == nil) != (s.err == "") || err != nil && !strings.Contains(err.Error(), s.err) {
			t.Errorf("%s: %v\n%s", s.name, err, out)
		}
	}
	other := signed
	other.EngineVersion, other.Signature = "7.0.0", nil
	if other, err = other.Rehash(); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run("", "verify", file("other.json", text(other))); err != nil || !strings.Contains(out, "Equal figures by another engine: made by 7.0.0, recomputed by "+footprint.NewestEngine) {
		t.Errorf("equal figures: %v\n%s", err, out)
	}
	forged.EngineVersion = "7.0.0"
	if forged, err = forged.Rehash(); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run("", "verify", file("other.json", text(forged))); err == nil || !strings.Contains(err.Error(), "a newer engine, not a change") || !strings.Contains(out, "result.total.kgCO2e") {
		t.Errorf("another figure: %v\n%s", err, out)
	}
}
