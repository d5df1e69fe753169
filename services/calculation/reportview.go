package calculation

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// The forms of a report.
const (
	formJSON = fiber.MIMEApplicationJSON
	formCSV  = "text/csv"
	formHTML = fiber.MIMETextHTML
	// formPeople is the media type of a bundle with people: clients of the released document expect one without for
	// application/json.
	formPeople = "application/vnd.ecf.report+json"
)

// report serves the newest result with everything it was calculated from, in the format of the Accept field: the
// bundle (the default), a table, also as a workbook, or a page to print.
func (s *server) report(c *fiber.Ctx) error {
	names, err := variantFor(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	language, err := languageFor(c, form)
	if err != nil {
		return err
	}
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	newest, err := s.newest(c.UserContext(), ev)
	if err != nil {
		return err
	}
	tag := ""
	if names != bundle.NamesRoles {
		if tag, err = s.reportTag(c.UserContext(), ev, newest, names, form, language); err != nil {
			return err
		}
	}
	if tag != "" && web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	m := &making{ev: ev, newest: newest.Result, form: form, language: language, names: names, tag: tag, file: s.Spool.New(string(ev.Org))}
	if names == bundle.NamesRoles {
		m.pseudonyms = bundle.NewPseudonyms(pseudonym)
	}
	switch form {
	case formCSV, formWorkbook:
		err = s.reportTable(c, m)
	case formHTML:
		err = s.reportHTML(c, m)
	default:
		err = s.reportJSON(c, m)
	}
	return m.closeAfter(c, err)
}

// formOf returns the format of a report for the Accept field, by default the bundle. If it accepts none of them, it
// is NOT_ACCEPTABLE.
func formOf(c *fiber.Ctx) (string, error) {
	c.Vary(fiber.HeaderAccept)
	switch form := c.Accepts(formJSON, formCSV, formHTML, formPeople, formWorkbook); form {
	case "":
		return "", apperr.New(apperr.NotAcceptable, "Reports are available as %s, %s, %s or %s; the request accepts none of them.", formJSON, formCSV, formHTML, formWorkbook).
			With(apperr.Detail{Field: fiber.HeaderAccept, Code: "NOT_ALLOWED", Message: "The page of " + formHTML + " is designed for printing.",
				Suggestions: []string{formJSON, formCSV, formHTML, formWorkbook}})
	case formPeople:
		return formJSON, nil
	default:
		return form, nil
	}
}

// languageFor returns the language of a page: that of the parameter lang, which a link can
// have, else the one that Accept-Language prefers. The other forms are the same in every language.
func languageFor(c *fiber.Ctx, form string) (string, error) {
	stated, err := statedLanguage(c)
	switch {
	case err != nil || form != formHTML:
		return "", err
	case stated == "":
		return web.Language(c, footprint.Languages()...), nil
	}
	c.Set(fiber.HeaderContentLanguage, stated)
	return stated, nil
}

// statedLanguage reads the parameter lang; empty where the request does not have it.
func statedLanguage(c *fiber.Ctx) (string, error) {
	language := c.Query("lang")
	if slices.Contains(footprint.Languages(), language) || !c.Context().QueryArgs().Has("lang") {
		return language, nil
	}
	return "", apperr.Invalid(apperr.Detail{Field: "lang", Code: "INVALID_VALUE", Message: "lang must be " + strings.Join(footprint.Languages(), " or ") + ".",
		Suggestions: footprint.Languages()})
}

// ReportKeysDir returns the folder of the keys that reports are signed with, below
// that of the service's signing keys.
func ReportKeysDir(signingKeys string) string { return filepath.Join(signingKeys, "reports") }

// reportKeys serves the public keys that reports are signed with.
func (s *server) reportKeys(c *fiber.Ctx) error {
	keys := identity.JWKS{Keys: []identity.JWK{}}
	if s.Keys != nil {
		keys = s.Keys.Public()
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=300")
	return web.JSON(c, fiber.StatusOK, text)
}

// tableName names the file of a revision's table in a form.
func tableName(event record.EventID, revision int64, form string) string {
	ending := "csv"
	if form == formWorkbook {
		ending = "xlsx"
	}
	return fmt.Sprintf(`attachment; filename="footprint-%s-%d.%s"`, fileSafe(string(event)), revision, ending)
}

// fileSafe reduces an id to characters that are valid in file names.
func fileSafe(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, id)
}

// pseudonym returns a pseudonym of a person for one bundle.
func pseudonym() string { return strings.ToLower(rand.Text())[:10] }

// namesOf reads the parameter names: full, roles, or empty for a bundle without
// people.
func namesOf(c *fiber.Ctx) (string, error) {
	names := c.Query("names")
	if names == bundle.NamesFull || names == bundle.NamesRoles || !c.Context().QueryArgs().Has("names") {
		return names, nil
	}
	return "", apperr.Invalid(apperr.Detail{Field: "names", Code: "INVALID_VALUE", Message: "names must be full or roles.",
		Suggestions: []string{bundle.NamesFull, bundle.NamesRoles}})
}

// notReproduced is the refusal to report a result that this program calculates
// otherwise: the result of an older engine, or a figure that was tampered with.
func notReproduced(r resulttree.Result) error {
	if footprint.KnownEngine(r.EngineVersion) {
		return fmt.Errorf("report of event %s: revision %d is not what its records come to", r.Event, r.Revision)
	}
	return apperr.New(apperr.ResultNotFound, "The result was calculated by engine %s and cannot be recalculated by %s.", r.EngineVersion, strings.Join(footprint.Engines(), " or ")).
		With(apperr.Detail{Code: "OTHER_ENGINE", Message: "It can still be read. After the next change of the event or its records, the result is calculated by the new engine and a report can be made."})
}
