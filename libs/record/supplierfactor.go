package record

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
)

// SupplierStatus is the place of a supplier's factor in its review.
type SupplierStatus string

// The states of a supplier's factor. Records can use approved ones; a record keeps
// the version that it uses when that is withdrawn.
const (
	SupplierProposed  SupplierStatus = "proposed"
	SupplierApproved  SupplierStatus = "approved"
	SupplierRejected  SupplierStatus = "rejected"
	SupplierWithdrawn SupplierStatus = "withdrawn"
)

// SupplierFactor is one version of a factor in an organization's library. Its JSON
// is the stored form. Only a proposal can be edited.
type SupplierFactor struct {
	footprint.SupplierFactor
	Org       OrgID          `json:"org"`
	Rev       int64          `json:"rev"` // 1 when created, +1 with every change
	Status    SupplierStatus `json:"status"`
	Deleted   bool           `json:"deleted,omitempty"` // its version number is not reused
	CreatedBy Actor          `json:"createdBy"`
	CreatedAt time.Time      `json:"createdAt"`
	EditedBy  Actor          `json:"editedBy"`
	UpdatedAt time.Time      `json:"updatedAt"`
	// History are the changes of the version, oldest first.
	History []SupplierEntry `json:"history"`
}

// SupplierEntry is one change of a supplier's factor.
type SupplierEntry struct {
	Rev     int64     `json:"revision"`
	Action  string    `json:"action"`
	By      Actor     `json:"by"`
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
	// Changed names the fields that an edit changed.
	Changed []string `json:"changed,omitempty"`
	// FourEyes and PolicyRev state the policy in force at a decision.
	FourEyes  bool  `json:"fourEyes,omitempty"`
	PolicyRev int64 `json:"policyRevision,omitempty"`
	// State is the hash of the version's contents after the change; Hash covers State, the change and the previous
	// Hash. Older changes have neither.
	State string `json:"stateHash,omitempty"`
	Hash  string `json:"hash,omitempty"`
	// Once identifies the request of the change, if it had an idempotency key, so that a repeated request finds it.
	Once string `json:"once,omitempty"`
}

// As returns the version with its history up to the change that a request has made and the
// state it then had; false if the request has made none. The content of the version is the
// current one.
func (f SupplierFactor) As(once string) (made SupplierFactor, before SupplierStatus, ok bool) {
	before, f.Deleted = SupplierProposed, false
	for i, e := range f.History {
		f.Status = before
		if to := supplierRules[SupplierAction(e.Action)].to; to != "" {
			f.Status = to
		}
		if once != "" && e.Once == once {
			f.History = f.History[:i+1]
			f.Deleted = e.Action == string(SupplierDelete)
			return f, before, true
		}
		before = f.Status
	}
	return f, before, false
}

// Key is the name under which versions are numbered: without regard to case and
// to how many spaces it has.
func (f SupplierFactor) Key() string { return SupplierKey(f.Name) }

// SupplierKey returns the key of a name.
func SupplierKey(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// SupplierFactors are the library of a tenant.
type SupplierFactors interface {
	// InsertSupplierFactor stores a new version; ErrDuplicate if its id, or its
	// version of the key, is taken.
	InsertSupplierFactor(ctx context.Context, org OrgID, f SupplierFactor) error
	// SupplierFactor reads a version that is not deleted; ErrNotFound.
	SupplierFactor(ctx context.Context, org OrgID, id string) (SupplierFactor, error)
	// ReplaceSupplierFactor stores f if the stored Rev is prevRev and it is not deleted, else it returns ErrConflict.
	// Its id, key and version never change.
	ReplaceSupplierFactor(ctx context.Context, org OrgID, f SupplierFactor, prevRev int64) error
	// SupplierFactorList reads the versions that are not deleted, by key and then the
	// newest version first, skipping skip and at most limit of them, and counts them
	// all.
	SupplierFactorList(ctx context.Context, org OrgID, skip, limit int64) ([]SupplierFactor, int64, error)
	// SupplierFactorVersions reads all versions of a key, the newest first, deleted
	// ones included.
	SupplierFactorVersions(ctx context.Context, org OrgID, key string) ([]SupplierFactor, error)
	// StoredSupplierFactors reads up to limit versions with ids above after, ascending, including deleted and damaged
	// ones, for copies and verification.
	StoredSupplierFactors(ctx context.Context, org OrgID, after string, limit int) ([]StoredSupplierFactor, error)
}

// StoredSupplierFactor is a version of a supplier's factor as it lies in the store.
type StoredSupplierFactor struct {
	ID     string
	Factor SupplierFactor
	// Damage is the reason why the factor cannot be read; then only its ID is set.
	Damage error
}

// ReadStoredSupplierFactor reads what EncodeSupplierFactor wrote of the factor with an id.
func ReadStoredSupplierFactor(id string, text []byte) StoredSupplierFactor {
	f, err := DecodeSupplierFactor(text)
	if err == nil && f.ID != id {
		err = Damaged(fmt.Errorf("what is stored of it is of %q", f.ID))
	}
	if err != nil {
		return StoredSupplierFactor{ID: id, Damage: err}
	}
	return StoredSupplierFactor{ID: id, Factor: f}
}

// NoSuchSupplierFactor returns the error for an id that the library does not have.
func NoSuchSupplierFactor() error {
	return apperr.New(apperr.SupplierFactorNotFound, "No such supplier factor.")
}

// maxSupplierEdits bounds the history of one version.
const maxSupplierEdits = 100

// SupplierChange is a transition of a supplier factor.
type SupplierChange struct {
	Action  SupplierAction
	By      Actor
	At      time.Time
	Comment string
	Policy  Policy
	// Fields are those of an edit.
	Fields footprint.SupplierFactor
	// Changed names the fields that an edit changes.
	Changed []string
	// Once names the request, where it has an idempotency key.
	Once string
}

// SupplierAction is what can be done with a version.
type SupplierAction string

// The actions.
const (
	SupplierCreate   SupplierAction = "create"
	SupplierEdit     SupplierAction = "edit"
	SupplierDelete   SupplierAction = "delete"
	SupplierApprove  SupplierAction = "approve"
	SupplierReject   SupplierAction = "reject"
	SupplierWithdraw SupplierAction = "withdraw"
)

// supplierRules are the states in which each action is possible, and the state after it.
var supplierRules = map[SupplierAction]struct {
	from []SupplierStatus
	to   SupplierStatus
}{
	SupplierEdit:     {[]SupplierStatus{SupplierProposed}, SupplierProposed},
	SupplierDelete:   {[]SupplierStatus{SupplierProposed, SupplierRejected}, ""},
	SupplierApprove:  {[]SupplierStatus{SupplierProposed}, SupplierApproved},
	SupplierReject:   {[]SupplierStatus{SupplierProposed}, SupplierRejected},
	SupplierWithdraw: {[]SupplierStatus{SupplierApproved}, SupplierWithdrawn},
}

// Apply returns the version after a change, or why it is not possible.
func (f SupplierFactor) Apply(c SupplierChange) (SupplierFactor, error) {
	rule, ok := supplierRules[c.Action]
	switch {
	case !ok:
		return f, fmt.Errorf("record: %q is no action of a supplier factor", c.Action)
	case !c.By.Role.Holds(identity.Manager):
		return f, apperr.New(apperr.Forbidden, "Only managers may change the library.")
	case !slices.Contains(rule.from, f.Status):
		return f, apperr.New(apperr.InvalidTransition, "The move %[2]q is not possible for a supplier factor that is %[1]s. To change an approved factor, create a new version with the same name.", f.Status, string(c.Action)).
			With(apperr.Detail{Field: "status", Code: string(f.Status), Message: "The factor is " + string(f.Status) + "."})
	case c.Policy.FourEyes && c.Action == SupplierApprove && f.changedBy(c.By.ID):
		return f, apperr.New(apperr.SelfApprovalForbidden, "Your organization requires four-eyes approval: the person who proposed or edited a factor cannot approve it.")
	case c.Action == SupplierEdit && len(f.History) >= maxSupplierEdits:
		return f, apperr.New(apperr.InvalidTransition, "The proposal was changed %d times. Delete it and create another one.", maxSupplierEdits)
	}
	entry := SupplierEntry{Rev: f.Rev + 1, Action: string(c.Action), By: c.By, At: c.At, Comment: c.Comment, Changed: c.Changed, Once: c.Once}
	if c.Action == SupplierApprove || c.Action == SupplierReject {
		entry.FourEyes, entry.PolicyRev = c.Policy.FourEyes, c.Policy.Rev
	}
	f.Rev, f.UpdatedAt = f.Rev+1, c.At
	f.History = append(slices.Clip(f.History), entry)
	switch c.Action {
	case SupplierEdit:
		c.Fields.ID, c.Fields.Version = f.ID, f.Version
		f.SupplierFactor, f.EditedBy = c.Fields, c.By
	case SupplierDelete:
		f.Deleted = true
		return f.Sealed(), nil
	}
	f.Status = rule.to
	return f.Sealed(), nil
}

// changedBy reports whether a user proposed or ever edited the version, which has not been approved before.
func (f SupplierFactor) changedBy(user string) bool {
	return f.CreatedBy.ID == user || f.EditedBy.ID == user || slices.ContainsFunc(f.History, func(e SupplierEntry) bool {
		return e.By.ID == user && (e.Action == string(SupplierCreate) || e.Action == string(SupplierEdit))
	})
}

// ETag is a tag of the version for If-Match.
func (f SupplierFactor) ETag() string { return `"` + strconv.FormatInt(f.Rev, 10) + "." + f.ID + `"` }

// MatchSupplierFactor reports whether one of the tags of an If-Match field is that of the current version.
func MatchSupplierFactor(tags []string, f SupplierFactor) bool {
	return matches(tags, strconv.FormatInt(f.Rev, 10), f.ID)
}

// supplierView is a version as clients see it.
type supplierView struct {
	ID string `json:"_id"`
	footprint.SupplierFactor
	ShadowID  *struct{}      `json:"id,omitempty"` // hides the embedded id
	Reference string         `json:"reference"`
	Status    SupplierStatus `json:"status"`
	Rev       int64          `json:"revision"`
	CreatedBy Actor          `json:"createdBy"`
	CreatedAt string         `json:"createdAt"`
	UpdatedAt string         `json:"updatedAt"`
	// The newest decision.
	DecidedBy *Actor  `json:"decidedBy"`
	DecidedAt *string `json:"decidedAt"`
	Comment   string  `json:"comment,omitempty"`
}

// View returns the version as clients see it.
func (f SupplierFactor) View() any {
	v := supplierView{ID: f.ID, SupplierFactor: f.SupplierFactor, Reference: f.Reference(), Status: f.Status, Rev: f.Rev,
		CreatedBy: f.CreatedBy, CreatedAt: stamp(f.CreatedAt), UpdatedAt: stamp(f.UpdatedAt)}
	for i := range f.History {
		if e := &f.History[i]; e.Action == string(SupplierApprove) || e.Action == string(SupplierReject) || e.Action == string(SupplierWithdraw) {
			v.DecidedBy, v.DecidedAt, v.Comment = &e.By, stampOf(&e.At), e.Comment
		}
	}
	return v
}

// View returns an entry as clients see it.
func (e SupplierEntry) View() any {
	return struct {
		Rev       int64    `json:"revision"`
		Action    string   `json:"action"`
		By        Actor    `json:"by"`
		At        string   `json:"at"`
		Comment   string   `json:"comment,omitempty"`
		Changed   []string `json:"changed,omitempty"`
		FourEyes  bool     `json:"fourEyes,omitempty"`
		PolicyRev int64    `json:"policyRevision,omitempty"`
	}{e.Rev, e.Action, e.By, stamp(e.At), e.Comment, e.Changed, e.FourEyes, e.PolicyRev}
}

// EncodeSupplierFactor returns the stored form.
func EncodeSupplierFactor(org OrgID, f SupplierFactor) ([]byte, error) {
	f.Org = org
	return json.Marshal(f)
}

// DecodeSupplierFactor reads what EncodeSupplierFactor wrote.
func DecodeSupplierFactor(text []byte) (f SupplierFactor, err error) {
	return f, Damaged(json.Unmarshal(text, &f))
}
