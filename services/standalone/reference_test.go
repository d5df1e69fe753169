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

// TestReferenceIsCurrent holds docs/configuration.md to the descriptions of the
// settings it is generated from.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`# Configuration

Generated from the descriptions of the settings; after a change run
` + "`go test ./services/standalone -run TestReferenceIsCurrent -update`" + `.

A setting is given by its flag or its environment variable; the flag wins, and an empty value is as good as none. A variable
that ends in ` + "`_FILE`" + ` names a file that holds the value of a secret. A program refuses to start with a variable that begins
with ` + "`ECF_`" + ` and is a setting of no program, and says which one was probably meant.

## Addresses of Redis

| Address | Stands for |
|---|---|
| ` + "`redis://user:password@host:6379/0`" + ` | one server; ` + "`rediss://`" + ` with TLS |
| ` + "`redis://host:6379?addr=host2:6379`" + ` | a cluster |
| ` + "`redis://host:26379/0?master_name=main&addr=host2:26379&username=u&password=p`" + ` | the server that Sentinels watch under that name, with its own user and password; what stands before the host is for the Sentinels |

With ` + "`rediss://`" + ` the parameters ` + "`tls_ca_file`" + `, ` + "`tls_cert_file` and `tls_key_file`" + ` name PEM files: the authority that
signed the servers' certificates (the system's authorities without it), and the client's own certificate with its key, for
servers that ask for one. Each server must show a certificate for the name or address it is reached at; a Sentinel names the
master as ` + "`sentinel announce-ip`, `resolve-hostnames`" + ` and their like have it.
`)
	for _, p := range allPrograms() {
		for _, c := range p.Commands {
			name := strings.TrimSpace(p.Name + " " + c.Name)
			fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s.\n\n%s", name, strings.TrimSpace(name+" "+c.Arguments), c.Summary, c.Settings().Markdown())
		}
	}
	b.WriteString("\n## Telemetry\n\nAll programs obey the standard variables of OpenTelemetry, among them those below. A program refuses to start with one that\nhas a value the exporters would not read, or a misspelled name, and says what would be right.\n\n| Variable | Meaning |\n|---|---|\n")
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

// TestNamesAreThoseOfAllPrograms holds the list that every program knows to the
// descriptions of all of them.
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
