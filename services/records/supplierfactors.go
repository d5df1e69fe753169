package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// The bounds of a library.
const (
	maxSupplierFactors  = 5000
	maxSupplierVersions = 500
	maxSupplierName     = 100
)

// supplierWord is what names and units of suppliers' factors are made of. An @
// would begin a version, and what begins otherwise could be a formula to the
// spreadsheet that a report is opened with.
var supplierWord = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,&'()/+%·²³_-]*$`)

// supplierOwned are the fields of an answer that the server owns.
var supplierOwned = []string{"_id", "version", "reference", "status", "revision", "createdBy", "createdAt", "updatedAt", "decidedBy", "decidedAt", "comment"}

// readSupplierFactor reads the fields of a factor. The errors are in r.
func readSupplierFactor(r *fields.Reader) (f footprint.SupplierFactor) {
	r.ServerOwned(supplierOwned...)
	r.Require("name", "kgCO2ePerUnit", "unit", "source")
	r.RequireContent("evidence")
	word := func(name string, most int) string {
		text, ok := r.String(name, 1, most)
		text = strings.Join(strings.Fields(text), " ")
		if ok && !supplierWord.MatchString(text) {
			r.Fault(apperr.Detail{Field: name, Code: fields.BadFormat,
				Message: fmt.Sprintf("%s must begin with a letter or a digit and consist of letters, digits, spaces and .,&'()/+%%-_; got %.60q.", name, text)})
		}
		return text
	}
	f.Name, f.Unit = word("name", maxSupplierName), word("unit", 40)
	if strings.EqualFold(f.Unit, "kWh") {
		f.Unit = "kWh"
	}
	f.KgCO2ePerUnit, _ = r.Decimal("kgCO2ePerUnit", decimal.Decimal{}, decimal.FromInt(1_000_000))
	if f.Stage, _ = r.Enum("stage", footprint.Direct, footprint.Upstream, footprint.Combined); f.Stage == "" {
		f.Stage = footprint.Combined
	}
	f.Scope3Category, _ = r.Enum("scope3Category", footprint.StatedCategories()...)
	f.ValidFrom, _ = r.Date("validFrom")
	f.ValidTo, _ = r.Date("validTo")
	if f.ValidFrom != "" && f.ValidTo != "" && f.ValidTo < f.ValidFrom {
		r.Fault(apperr.Detail{Field: "validTo", Code: fields.OutOfRange, Message: fmt.Sprintf("validTo must not be before validFrom, %s; got %s.", f.ValidFrom, f.ValidTo)})
	}
	f.Source, _ = r.String("source", 1, 500)
	if u, ok := r.Decimal("uncertaintyFactor", decimal.New(10001, 4), decimal.FromInt(100)); ok {
		f.Uncertainty = &u
	}
	f.Evidence = readEvidence(r)
	return f
}

// readEvidence reads the documents behind a factor, of which one has a hash.
func readEvidence(r *fields.Reader) []footprint.Evidence {
	out := []footprint.Evidence{}
	list, ok := r.Objects("evidence", 10)
	for _, o := range list {
		o.RequireOneOf("name", "url", "sha256")
		var e footprint.Evidence
		e.Name, _ = o.String("name", 1, 200)
		e.URL, _ = o.URL("url", 2000)
		e.SHA256, _ = o.SHA256("sha256")
		out = append(out, e)
	}
	if ok && len(list) > 0 && r.Faults() == 0 && !slices.ContainsFunc(out, func(e footprint.Evidence) bool { return e.SHA256 != "" }) {
		r.Fault(apperr.Detail{Field: "evidence[0].sha256", Code: fields.Required,
			Message: "At least one document must have sha256, the SHA-256 hash of its bytes (sha256sum FILE), so that it can be identified."})
	}
	return out
}

func (s *server) listSupplierFactors(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	all, total, err := s.Store.SupplierFactorList(c.UserContext(), teams.Org(c), page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	views := make([]any, 0, len(all))
	for _, f := range all {
		views = append(views, f.View())
	}
	return web.OK(c, web.NewList(views, page, total))
}

// supplierFactor reads the version that the path names.
func (s *server) supplierFactor(c *fiber.Ctx) (record.SupplierFactor, error) {
	f, err := s.Store.SupplierFactor(c.UserContext(), teams.Org(c), c.Params("factorId"))
	if errors.Is(err, record.ErrNotFound) {
		return f, record.NoSuchSupplierFactor()
	}
	return f, err
}

func (s *server) getSupplierFactor(c *fiber.Ctx) error {
	f, err := s.supplierFactor(c)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, f.ETag())
	return web.OK(c, f.View())
}

// supplierFactorHistory lists what happened to a version, newest first.
func (s *server) supplierFactorHistory(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	f, err := s.supplierFactor(c)
	if err != nil {
		return err
	}
	total := int64(len(f.History))
	from, to := page.Within(total)
	views := []any{}
	for i := from; i < to; i++ {
		views = append(views, f.History[total-1-i].View())
	}
	return web.OK(c, web.NewList(views, page, total))
}

// createSupplierFactor proposes a factor: the first version of a new name, or the
// next one of a name that the library has.
func (s *server) createSupplierFactor(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	read := readSupplierFactor(r)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	read.ID = w.Request.NewID(0)
	countSupplierFactor(c, w)
	if w.Request.Resumed {
		if found, err := s.supplierFactorMade(c, w, read); found || err != nil {
			return err
		}
	}
	for range editAttempts {
		f, err := s.nextVersion(c, w, read)
		if err != nil {
			return err
		}
		if !w.Rehearsal {
			if err = s.Store.InsertSupplierFactor(c.UserContext(), w.Org, f); errors.Is(err, record.ErrDuplicate) {
				// An attempt that was given up for dead has been faster, or somebody else
				// has taken the version.
				if found, err := s.supplierFactorMade(c, w, read); found || err != nil {
					return err
				}
				continue
			}
		}
		if err != nil {
			return err
		}
		if err := s.noteSupplierFactor(c, w, record.SupplierCreate, "", f); err != nil {
			return err
		}
		return answerSupplierFactor(c, f)
	}
	return apperr.Overtaken("factor")
}

// supplierFactorMade answers with the version that another attempt of the request has
// made, deleted or not; false where there is none.
func (s *server) supplierFactorMade(c *fiber.Ctx, w writes.Write, read footprint.SupplierFactor) (found bool, err error) {
	if !w.Request.Keyed() {
		return false, nil
	}
	versions, err := s.Store.SupplierFactorVersions(c.UserContext(), w.Org, record.SupplierKey(read.Name))
	i := slices.IndexFunc(versions, func(f record.SupplierFactor) bool { return f.ID == read.ID })
	if err != nil || i < 0 {
		return false, err
	}
	// The entry of the creation is what the log is owed, whatever came since.
	created := versions[i]
	created.Status, created.Deleted, created.History = record.SupplierProposed, false, created.History[:1]
	if err := s.noteSupplierFactor(c, w, record.SupplierCreate, "", created); err != nil {
		return true, err
	}
	return true, answerSupplierFactor(c, versions[i])
}

// nextVersion returns a proposal under the next version of its name.
func (s *server) nextVersion(c *fiber.Ctx, w writes.Write, read footprint.SupplierFactor) (record.SupplierFactor, error) {
	versions, err := s.Store.SupplierFactorVersions(c.UserContext(), w.Org, record.SupplierKey(read.Name))
	if err != nil {
		return record.SupplierFactor{}, err
	}
	_, total, err := s.Store.SupplierFactorList(c.UserContext(), w.Org, 0, 0)
	if err != nil {
		return record.SupplierFactor{}, err
	}
	if total >= maxSupplierFactors || len(versions) >= maxSupplierVersions {
		return record.SupplierFactor{}, apperr.New(apperr.ProposalLimit, "A library may have at most %d versions, and %d with the same name.", maxSupplierFactors, maxSupplierVersions)
	}
	read.Version = 1
	if len(versions) > 0 {
		read.Version, read.Name = versions[0].Version+1, versions[0].Name
	}
	now := s.now()
	return record.SupplierFactor{SupplierFactor: read, Org: w.Org, Rev: 1, Status: record.SupplierProposed, CreatedBy: w.By, CreatedAt: now, EditedBy: w.By, UpdatedAt: now,
		History: []record.SupplierEntry{{Rev: 1, Action: string(record.SupplierCreate), By: w.By, At: now}}}.Sealed(), nil
}

func answerSupplierFactor(c *fiber.Ctx, f record.SupplierFactor) error {
	c.Set(fiber.HeaderETag, f.ETag())
	return web.Created(c, f.View(), web.BasePath+"/supplier-factors/"+f.ID)
}

// noteSupplierFactor says in the audit log what was done, with the hash of the entry in
// the history of the version: the log so covers the library.
func (s *server) noteSupplierFactor(c *fiber.Ctx, w writes.Write, action record.SupplierAction, before string, f record.SupplierFactor) error {
	if w.Rehearsal {
		return nil
	}
	after := string(f.Status)
	if f.Deleted {
		after = "deleted"
	}
	return audit.Attach(c, audit.Note{Action: audit.SupplierFactor + string(action), Subject: f.ID, Before: before, After: f.Reference() + " " + after + ", " + f.History[len(f.History)-1].Hash})
}

// editSupplierFactor changes a proposal.
func (s *server) editSupplierFactor(c *fiber.Ctx) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	if _, err := patchBody(nil, body); err != nil {
		return err
	}
	return s.change(c, record.SupplierEdit, func(f record.SupplierFactor, change *record.SupplierChange) error {
		stored, err := editable(f)
		if err != nil {
			return err
		}
		merged, err := patchBody(stored, body)
		if err != nil {
			return err
		}
		r, err := fields.Parse(merged)
		if r == nil {
			return err
		}
		read := readSupplierFactor(r)
		if r.Faults() == 0 && record.SupplierKey(read.Name) != f.Key() {
			r.Fault(apperr.Detail{Field: "name", Code: fields.NotAllowed, Message: "The name of a version cannot be changed; create another factor with the new name."})
		}
		if err := web.Finish(c, r); err != nil {
			return err
		}
		read.Name, read.ID, read.Version = f.Name, f.ID, f.Version
		after, err := editable(record.SupplierFactor{SupplierFactor: read})
		change.Fields, change.Changed = read, record.ChangedFields(stored, after)
		return err
	})
}

// editable returns the fields of a factor that an edit can change.
func editable(f record.SupplierFactor) (json.RawMessage, error) {
	text, err := json.Marshal(f.SupplierFactor)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	delete(all, "id")
	delete(all, "version")
	return json.Marshal(all)
}

// changeSupplierFactor makes the handler of an action whose body is a comment.
func (s *server) changeSupplierFactor(action record.SupplierAction) fiber.Handler {
	return func(c *fiber.Ctx) error {
		comment := ""
		if action != record.SupplierDelete {
			r, err := web.Fields(c)
			if r == nil {
				return err
			}
			comment = r.Remark("comment", record.MaxComment)
			if comment = strings.TrimSpace(comment); comment == "" && r.Faults() == 0 && action != record.SupplierApprove {
				r.Fault(apperr.Detail{Field: "comment", Code: fields.Required, Message: "comment is required, to explain the reason to those whose records use the factor."})
			}
			if err := web.Finish(c, r); err != nil {
				return err
			}
		}
		return s.change(c, action, func(_ record.SupplierFactor, change *record.SupplierChange) error {
			change.Comment = comment
			return nil
		})
	}
}

// countSupplierFactor counts what a version of a factor stores, with its history.
func countSupplierFactor(c *fiber.Ctx, w writes.Write) {
	if !w.Rehearsal {
		web.Stored(c).Add(2 * int64(max(c.Request().Header.ContentLength(), 0)))
	}
}

// change makes a change of the version that the path names.
func (s *server) change(c *fiber.Ctx, action record.SupplierAction, complete func(record.SupplierFactor, *record.SupplierChange) error) error {
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	organization, err := s.Store.Organization(c.UserContext(), w.Org)
	if err != nil {
		return err
	}
	countSupplierFactor(c, w)
	tags, conditional := web.IfMatch(c)
	for range editAttempts {
		before, err := s.supplierFactor(c)
		if err != nil {
			return err
		}
		if made, was, done := before.As(w.Request.Once()); done {
			// An earlier attempt of this request did it. Its entry may not be in the audit
			// log yet; one that is there is entered once.
			if err := s.noteSupplierFactor(c, w, action, string(was), made); err != nil {
				return err
			}
			c.Set(fiber.HeaderETag, before.ETag())
			return web.OK(c, before.View())
		}
		change := record.SupplierChange{Action: action, By: w.By, At: s.now(), Policy: organization.Policy, Once: w.Request.Once()}
		if _, err := before.Apply(change); err != nil && apperr.CodeOf(err) == apperr.Forbidden {
			return err
		}
		if conditional && !record.MatchSupplierFactor(tags, before) {
			return apperr.New(apperr.PreconditionFailed, "The factor has changed since you read it. Read it again before you decide.")
		}
		if err := complete(before, &change); err != nil {
			return err
		}
		after, err := before.Apply(change)
		if err != nil {
			return err
		}
		if action == record.SupplierEdit && len(change.Changed) == 0 {
			c.Set(fiber.HeaderETag, before.ETag()) // what it says already is no change
			return web.OK(c, before.View())
		}
		if !w.Rehearsal {
			if err = s.Store.ReplaceSupplierFactor(c.UserContext(), w.Org, after, before.Rev); errors.Is(err, record.ErrConflict) {
				continue
			}
		}
		if err != nil {
			return err
		}
		if err := s.noteSupplierFactor(c, w, action, string(before.Status), after); err != nil {
			return err
		}
		if action == record.SupplierDelete {
			return web.OK(c, fiber.Map{"_id": after.ID, "deleted": true})
		}
		c.Set(fiber.HeaderETag, after.ETag())
		return web.OK(c, after.View())
	}
	return apperr.Overtaken("factor")
}
