package standalone_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/gateway"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
	"github.com/eventcarbon/ecf/services/standalone"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

const reference = "../../docs/configuration.md"

func allPrograms() []app.Program {
	return []app.Program{standalone.Program(), gateway.Program(), auth.Program(), records.Program(), review.Program(), calculation.Program()}
}

// TestReferenceIsCurrent compares docs/configuration.md with the descriptions of the settings.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`# Configuration

Generated from the descriptions of the settings; after a change run
` + "`go test ./services/standalone -run TestReferenceIsCurrent -update`" + `.

A setting is given by its flag or its environment variable; the flag takes precedence, and an empty value counts as unset. A variable
that ends in ` + "`_FILE`" + ` names a file that contains the value of a secret. A program refuses to start with a variable that begins
with ` + "`ECF_`" + ` and is a setting of no program, and suggests the one that was probably meant.

## Addresses of Redis

| Address | Meaning |
|---|---|
| ` + "`redis://user:password@host:6379/0`" + ` | one server; ` + "`rediss://`" + ` with TLS |
| ` + "`redis://host:6379?addr=host2:6379`" + ` | a cluster |
| ` + "`redis://host:26379/0?master_name=main&addr=host2:26379&username=u&password=p`" + ` | the primary monitored by Sentinels under that name, with its own user and password; credentials before the host are for the Sentinels |

With ` + "`rediss://`" + ` the parameters ` + "`tls_ca_file`" + `, ` + "`tls_cert_file` and `tls_key_file`" + ` name PEM files: the authority that
signed the servers' certificates (default: the system's authorities), and the client's certificate with its key, for
servers that require one. Each server must present a certificate for the name or address used to connect to it; Sentinels announce the
primary as configured by ` + "`sentinel announce-ip`, `resolve-hostnames`" + ` and related options.
These files, and those in the address of MongoDB (` + "`tlsCAFile`, `tlsCertificateKeyFile`" + `), are read at startup: restart the programs after
replacing them, before the former ones expire. The files of ` + "`ECF_TLS_CERT`" + ` and the signing keys are read again by themselves.
`)
	for _, p := range allPrograms() {
		for _, c := range p.Commands {
			name := strings.TrimSpace(p.Name + " " + c.Name)
			fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s.\n\n%s", name, strings.TrimSpace(name+" "+c.Arguments), c.Summary, c.Settings().Markdown())
		}
	}
	b.WriteString("\n## Telemetry\n\nAll programs support the standard variables of OpenTelemetry, including those below. A program refuses to start with an\ninvalid value or a misspelled name, and says what would be right.\n\n| Variable | Meaning |\n|---|---|\n")
	for _, v := range telemetry.Variables() {
		fmt.Fprintf(&b, "| %s | %s |\n", v.Name, v.Meaning)
	}
	if *update {
		if err := os.WriteFile(reference, []byte(b.String()), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	held, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if string(held) != b.String() {
		t.Errorf("%s is not what the settings are; run this test with -update", reference)
	}
}

// TestNamesAreThoseOfAllPrograms compares the list of known settings with the descriptions of all programs.
func TestNamesAreThoseOfAllPrograms(t *testing.T) {
	t.Parallel()
	var described []string
	for _, p := range allPrograms() {
		for _, c := range p.Commands {
			for _, e := range c.Settings().All() {
				if e.Env != "" {
					described = append(described, e.Env)
				}
				if e.Secret && e.Env != "" {
					described = append(described, e.Env+"_FILE")
				}
			}
		}
	}
	slices.Sort(described)
	if described = slices.Compact(described); !slices.Equal(described, settings.Names) {
		t.Errorf("settings.Names is\n%v\nand the programs describe\n%v", settings.Names, described)
	}
}
