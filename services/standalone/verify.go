package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/settings"
)

// maxBundle bounds what is read of a file that claims to be a bundle.
const maxBundle = 256 << 20

// verifySettings are the settings of verify.
type verifySettings struct {
	Key   string
	files []string
}

// Describe implements settings.Config.
func (c *verifySettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Key, "key", "", "key that the bundle must be signed with", nil)
	s.Arguments(&c.files)
}

// verify recomputes an exported report and says where it differs. It reads no
// other file and needs no server.
func verify(_ context.Context, env app.Env, c *verifySettings) error {
	if len(c.files) != 1 {
		return errors.New("name one file: ecf verify BUNDLE.json (- for standard input)")
	}
	text, err := readBundle(env, c.files[0])
	if err != nil {
		return err
	}
	verdict, err := bundle.Verify(text)
	if err != nil {
		return err
	}
	for _, d := range verdict.Differences {
		if _, err := fmt.Fprintln(env.Stdout, d); err != nil {
			return err
		}
	}
	if verdict.More > 0 {
		if _, err := fmt.Fprintf(env.Stdout, "and %d more\n", verdict.More); err != nil {
			return err
		}
	}
	for _, said := range verdict.Statements {
		if _, err := fmt.Fprintln(env.Stdout, said); err != nil {
			return err
		}
	}
	if len(verdict.Differences) > 0 {
		return errors.New("the bundle is not what its inputs come to")
	}
	if key := c.Key; key != "" && key != verdict.SignedBy {
		return fmt.Errorf("the bundle is not signed with the key %s but with %s", key, orNone(verdict.SignedBy))
	}
	signed := "It is not signed: nothing proves who made it."
	if verdict.SignedBy != "" {
		signed = "It is signed with the key " + verdict.SignedBy + ". Compare it with those that the service publishes\nat /.well-known/report-keys.json, or name it with --key."
		if c.Key != "" {
			signed = "It is signed with the key " + verdict.SignedBy + "."
		}
	}
	if verdict.OtherEngine != "" {
		if _, err := fmt.Fprintln(env.Stdout, signed); err != nil {
			return err
		}
		return fmt.Errorf("the bundle was calculated by the engine %s, which this program does not have: hashes, signature and approvals are right, and the figures were not recomputed", verdict.OtherEngine)
	}
	records := fmt.Sprintf("%d records", verdict.Records)
	if verdict.Records == 1 {
		records = "1 record"
	}
	_, err = fmt.Fprintf(env.Stdout, "The bundle is right to the last digit: %q, revision %d, %s, %s kg CO2e.\n%s\n",
		verdict.Event, verdict.Revision, records, verdict.Total.Kilograms(), signed)
	return err
}

func orNone(key string) string {
	if key == "" {
		return "none"
	}
	return key
}

func readBundle(env app.Env, name string) ([]byte, error) {
	var from io.Reader = env.Stdin
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the caller names the file
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, maxBundle+1))
	if err == nil && len(text) > maxBundle {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxBundle>>20)
	}
	return text, err
}
