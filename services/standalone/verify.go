package standalone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
)

// maxBundle bounds the size of a bundle.
const maxBundle = 256 << 20

// verifySettings are the settings of verify.
type verifySettings struct {
	Key              string
	Keys             string
	Server           string
	TokenFile        string
	RequireSignature bool
	file             string
}

// Describe implements settings.Config.
func (c *verifySettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Key, "key", "", "id of the key that the bundle must be signed with", nil)
	s.TextFlag(&c.Keys, "keys", "", "file or URL of the keys that a service publishes (/.well-known/report-keys.json), one of which must have signed", nil)
	s.BoolFlag(&c.RequireSignature, "require-signature", "fail if there is no signature")
	s.TextFlag(&c.Server, "server", "", "URL of the service, to check whether a newer revision exists", settings.CheckHTTP)
	s.TextFlag(&c.TokenFile, "token-file", "", "file with an access token for --server", nil)
	s.Argument(&c.file, "name one file: ecf verify BUNDLE.json (- for standard input)")
}

// verify recalculates an exported report and prints the differences. It reads no other file and
// needs no server, except for --keys and --server.
func verify(ctx context.Context, env app.Env, c *verifySettings) error {
	text, err := readBundle(env, c.file)
	if err != nil {
		return err
	}
	verdict, err := bundle.Verify(text)
	if err != nil {
		return err
	}
	newer := ""
	if c.Server != "" {
		if newer, err = newerRevision(ctx, c.Server, c.TokenFile, verdict); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(env.Stdout, words(c, verdict, newer)); err != nil {
		return err
	}
	if err := judge(verdict); err != nil {
		return err
	}
	if err := c.trusted(ctx, verdict); err != nil {
		return err
	}
	if len(verdict.OtherFigures) > 0 {
		return fmt.Errorf("the bundle is as the engine %s made it, and the engine %s of this program comes to other figures, listed above: a newer engine, not a change of the bundle", verdict.OtherEngine, verdict.RecomputedBy)
	}
	if verdict.OtherEngine != "" && verdict.RecomputedBy == "" {
		return fmt.Errorf("the bundle was calculated by the engine %s with the factor set %s, which this program does not have: hashes, signature and approvals are right, and the figures were not recomputed", verdict.OtherEngine, verdict.FactorSet)
	}
	return nil
}

// judge distinguishes a bundle that was changed from one whose figures this program calculates
// differently.
func judge(v bundle.Verdict) error {
	switch {
	case len(v.Differences) == 0:
		return nil
	case v.Intact && v.SignedBy != "":
		return errors.New("the bundle is not what its inputs come to: it is as it was signed, and this program comes to other figures")
	case v.Intact:
		return errors.New("the bundle is not what its inputs come to: its hashes are its own, so it was made or changed by a program that wrote them anew")
	}
	return errors.New("the bundle is not what its inputs come to: it was changed after it was made")
}

// words describes the findings for people.
func words(c *verifySettings, v bundle.Verdict, newer string) string {
	var out strings.Builder
	list := append(slices.Clone(v.Differences), v.OtherFigures...)
	for _, d := range list {
		fmt.Fprintln(&out, d)
	}
	if v.More > 0 {
		fmt.Fprintf(&out, "and %d more\n", v.More)
	}
	for _, said := range v.Statements {
		fmt.Fprintln(&out, said)
	}
	if len(v.Differences) > 0 {
		return out.String()
	}
	records := fmt.Sprintf("%d records", v.Records)
	if v.Records == 1 {
		records = "1 record"
	}
	switch {
	case v.OtherEngine == "":
		fmt.Fprintf(&out, "The bundle is right to the last digit: %q, revision %d, %s, %s kg CO2e.\n", v.Event, v.Revision, records, v.Total.Kilograms())
	case len(v.OtherFigures) > 0:
		fmt.Fprintf(&out, "The bundle is unchanged, by the engine %s: %q, revision %d, %s, %s kg CO2e.\n", v.OtherEngine, v.Event, v.Revision, records, v.Total.Kilograms())
	case v.RecomputedBy != "":
		fmt.Fprintf(&out, "Equal figures by another engine: made by %s, recomputed by %s: %q, revision %d, %s, %s kg CO2e.\n",
			v.OtherEngine, v.RecomputedBy, v.Event, v.Revision, records, v.Total.Kilograms())
	}
	fmt.Fprintf(&out, "Event %s, %s to %s, factor set %s, calculated at %s.\n", v.EventID, orUnsaid(v.StartDate), orUnsaid(v.EndDate), v.FactorSet, v.CalculatedAt)
	fmt.Fprintf(&out, "Hash of the report, as on its page: %s.\n", v.Hash)
	if newer != "" {
		fmt.Fprintln(&out, newer)
	}
	switch {
	case v.SignedBy == "":
		fmt.Fprintln(&out, "It is not signed, so nothing proves who created it.")
	case c.Key != "" || c.Keys != "":
		fmt.Fprintf(&out, "It is signed with the key %s.\n", v.SignedBy)
	default:
		fmt.Fprintf(&out, "It is signed with the key %s. Compare it with those that the service publishes\nat /.well-known/report-keys.json: --keys takes that file or its address.\n", v.SignedBy)
	}
	return out.String()
}

func orUnsaid(date string) string {
	if date == "" {
		return "?"
	}
	return date
}

// trusted returns an error unless the bundle is signed by a key that the settings accept.
func (c *verifySettings) trusted(ctx context.Context, v bundle.Verdict) error {
	if key := c.Key; key != "" && key != v.SignedBy {
		return fmt.Errorf("the bundle is not signed with the key %s but with %s", key, orNone(v.SignedBy))
	}
	if v.SignedBy == "" && (c.RequireSignature || c.Keys != "") {
		return errors.New("the bundle is not signed")
	}
	if c.Keys == "" {
		return nil
	}
	published, err := publishedKeys(ctx, c.Keys)
	if err != nil {
		return fmt.Errorf("--keys must name the keys that a service publishes: %w", err)
	}
	if !slices.Contains(published, v.SignedBy) {
		return fmt.Errorf("the bundle is signed with the key %s, which is not one of the %d in %s", v.SignedBy, len(published), c.Keys)
	}
	return nil
}

// publishedKeys reads the key ids from a file or URL.
func publishedKeys(ctx context.Context, from string) ([]string, error) {
	text, err := fetch(ctx, from, "")
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	var published identity.JWKS
	if err := json.Unmarshal(text, &published); err != nil {
		return nil, fmt.Errorf("%s holds no keys: %w", from, err)
	}
	return idsOf(published), nil
}

func idsOf(published identity.JWKS) []string {
	ids := make([]string, len(published.Keys))
	for i, k := range published.Keys {
		ids[i] = k.KeyID
	}
	return ids
}

const (
	fetchTimeout = 20 * time.Second
	maxAnswer    = 16 << 20
)

// fetch reads a file, or a URL that begins with http.
func fetch(ctx context.Context, from, token string) ([]byte, error) {
	if !strings.HasPrefix(from, "https://") && !strings.HasPrefix(from, "http://") {
		return os.ReadFile(from) //nolint:gosec // the caller names the file
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", from, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("%s answers more than %d MiB", from, maxAnswer>>20)
	}
	return text, err
}

// newerRevision asks the service for the newest revision of the event.
func newerRevision(ctx context.Context, server, tokenFile string, v bundle.Verdict) (string, error) {
	token := ""
	if tokenFile != "" {
		text, err := os.ReadFile(tokenFile) //nolint:gosec // the caller names the file
		if err != nil {
			return "", fmt.Errorf("--token-file must name a file that can be read: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	// The URL of the API printed by a server includes the base path.
	server = strings.TrimSuffix(strings.TrimRight(server, "/"), web.BasePath)
	text, err := fetch(ctx, server+web.BasePath+"/events/"+url.PathEscape(v.EventID)+"/results", token)
	if err != nil && tokenFile == "" {
		return "", fmt.Errorf("ask for the newest revision: %w (--token-file takes a file with an access token of a user who may read the event)", err)
	}
	if err != nil {
		return "", fmt.Errorf("ask for the newest revision: %w", err)
	}
	var answer struct {
		Data struct {
			Revision     int64  `json:"revision"`
			CalculatedAt string `json:"calculatedAt"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", fmt.Errorf("ask for the newest revision: %w", err)
	}
	if newest := answer.Data; newest.Revision > v.Revision {
		return fmt.Sprintf("A newer revision exists: %d, calculated at %s.", newest.Revision, newest.CalculatedAt), nil
	}
	return fmt.Sprintf("Revision %d is the newest that the service has.", v.Revision), nil
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
