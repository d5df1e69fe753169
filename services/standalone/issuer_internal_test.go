package standalone

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestGuessedIssuerIsWarnedOf: two servers on one MongoDB that guess their issuers reject each other's tokens; a
// single server, or one with a configured issuer, logs no warning.
func TestGuessedIssuerIsWarnedOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"on MongoDB":                {map[string]string{"ECF_MONGODB_URI": "mongodb://db.example/"}, true},
		"on MongoDB with an issuer": {map[string]string{"ECF_MONGODB_URI": "mongodb://db.example/", "ECF_ISSUER": "https://ecf.example"}, false},
		"on files":                  {nil, false},
	} {
		config, err := Load(nil, func(name string) string { return c.env[name] })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var log bytes.Buffer
		config.warnOfGuessedIssuer(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		if warned := strings.Contains(log.String(), "ECF_ISSUER is not set"); warned != c.want {
			t.Errorf("%s: %q", name, log.String())
		}
	}
}
