package calculation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/editions"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// settledTag returns the entity tag of a response derived from an event and its newest result, without generating the
// response; parts are further inputs. It is empty while the result is not current: then several reads may be
// inconsistent, and only the response itself has a tag.
func (s *server) settledTag(ev record.Event, r resulttree.Result, due bool, parts ...any) (string, error) {
	if due {
		return "", nil
	}
	text, err := json.Marshal(append([]any{ev, ev.Rev, ev.ContextRev, ev.Editions, r.Revision, r.Version, r.InputsHash, r.CalculatedAt}, parts...))
	if err != nil {
		return "", fmt.Errorf("tag of event %s: %w", ev.ID, err)
	}
	program, err := programHash()
	return web.ETagOf(program, string(text)), err
}

// keepTag sets the settled tag of a generated response, unless something has changed meanwhile: then the tag is that
// of its bytes.
func (s *server) keepTag(c *fiber.Ctx, ev record.Event, tag string) error {
	if tag == "" {
		return nil
	}
	due, err := s.Records.HasMarks(c.UserContext(), ev.Org, ev.ID)
	if err == nil && !due {
		c.Set(fiber.HeaderETag, tag)
	}
	return err
}

// programHash is the hash of the running program: another release may format the response differently, and all
// replicas of one release agree.
var programHash = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("program: %w", err)
	}
	f, err := os.Open(path) //nolint:gosec // the program itself
	if err != nil {
		return "", fmt.Errorf("program: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

// explainTag returns the tag of a page of an explanation; see settledTag.
func (s *server) explainTag(ev record.Event, r resulttree.Result, due bool, page web.Page) (string, error) {
	return s.settledTag(ev, r, due, "explain", page.Number, page.Limit)
}

// reportTag returns the tag of a report in a form; see settledTag. One with names
// replaced by pseudonyms has none: they are others each time.
func (s *server) reportTag(ctx context.Context, ev record.Event, newest newestResult, names, form, language string) (string, error) {
	organization, err := s.Records.Organization(ctx, ev.Org)
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return "", err
	}
	counts, err := s.notCounted(ctx, ev)
	if err != nil {
		return "", err
	}
	key := ""
	if s.Keys != nil {
		key = s.Keys.Public().Keys[0].KeyID
	}
	return s.settledTag(ev, newest.Result, newest.due, "report", names, form, language, key, organization.Name, organization.Policy.Rev, counts)
}

// editionTag returns the tag of a page of the stored explanation of a signed revision, which never changes.
func editionTag(e *editions.Edition, page web.Page) string {
	return web.ETagOf("edition", e.Documents[keptExplain].SHA256, strconv.FormatInt(page.Number, 10), strconv.FormatInt(page.Limit, 10))
}
