package calculation

import (
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// views reports whether the caller is a viewer, who reads results and reports without comments.
func views(c *fiber.Ctx) bool { return !web.PrincipalOf(c).Role.Holds(identity.User) }

// causesFor returns causes as the caller may see them.
func causesFor(c *fiber.Ctx, causes []causeView) []causeView {
	if views(c) {
		for i := range causes {
			causes[i].Comment = ""
		}
	}
	return causes
}

// keptFor returns a stored result as visible to the caller.
func keptFor(c *fiber.Ctx, kept []byte) (json.RawMessage, error) {
	if !views(c) {
		return kept, nil
	}
	var result map[string]json.RawMessage
	var causes []causeView
	if err := json.Unmarshal(kept, &result); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(result["cause"], &causes); err != nil {
		return nil, err
	}
	text, err := json.Marshal(causesFor(c, causes))
	if err != nil {
		return nil, err
	}
	result["cause"] = text
	return json.Marshal(result)
}

// variantFor returns the variant of a bundle that a request names, if the caller may have it: one with names contains
// the comments of every history.
func variantFor(c *fiber.Ctx) (string, error) {
	names, err := namesOf(c)
	if err == nil && names == bundle.NamesFull && views(c) {
		return "", apperr.New(apperr.Forbidden, "A report with names contains comments and requires the role %s.", identity.User).
			With(apperr.Detail{Field: "names", Code: "NOT_ALLOWED", Message: "A viewer may request names=roles."})
	}
	return names, err
}
