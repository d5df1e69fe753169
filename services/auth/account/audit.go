package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// SystemOrg is the organization of audit entries that belong to none: keys of
// the whole system, and sign-ins to unknown accounts. No
// organization has this id.
const SystemOrg = "system"

// AuditEntry is something that concerned security: who did what to whom, and
// how it ended. Entries are never changed; each carries the hash of the one
// before it in its organization, so that a changed or missing entry shows. It
// names people by their ids and holds no email and no secret.
type AuditEntry struct {
	// ID names the event, so that writing it again does not make a second entry.
	ID  string
	Org string
	// Seq counts the entries of an organization from 1, without gaps.
	Seq    int64
	At     time.Time
	Action string // such as "login" or "user.role"
	// Outcome is "done" or "refused"; Reason is the reason for a refusal.
	Outcome string
	Reason  string
	// Actor is the user who did it, "operator" for a command at the machine, empty
	// if unknown. Subject is the affected user or key.
	Actor   string
	Subject string
	Session string
	// Before and After are what was changed.
	Before string
	After  string
	// Where the request came from.
	Address   string
	RequestID string
	// Prev is the hash of the entry before; empty for the first.
	Prev string
	Hash string
}

// Seal makes an entry the next one after prev, which is the zero entry for the
// first of an organization.
func (e AuditEntry) Seal(prev AuditEntry) AuditEntry {
	e.Seq, e.Prev = prev.Seq+1, prev.Hash
	e.Hash = e.digest()
	return e
}

// digest covers everything except the hash itself. Each value is preceded by its
// length, so that different entries never give the same bytes.
func (e AuditEntry) digest() string {
	h := sha256.New()
	for _, v := range [...]string{
		"ecf-audit-1", e.ID, e.Org, strconv.FormatInt(e.Seq, 10), e.At.UTC().Format(time.RFC3339Nano), e.Action, e.Outcome, e.Reason,
		e.Actor, e.Subject, e.Session, e.Before, e.After, e.Address, e.RequestID, e.Prev,
	} {
		fmt.Fprintf(h, "%d:%s", len(v), v)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AuditHead is the last entry of an organization as the engine keeps it apart
// from the entries, so that missing ones show at the end of a chain too.
type AuditHead struct {
	Org  string
	Seq  int64
	Hash string
}

// Audit is the append-only log of what concerned security.
type Audit interface {
	// AppendAudit stores an entry as the next of its organization and returns it
	// with Seq, Prev and Hash: of many at once each gets a number of its own, and
	// the chain stays one. An entry whose ID is there already is not stored again.
	AppendAudit(ctx context.Context, e AuditEntry) (AuditEntry, error)
	// AuditPage reads entries of an organization, newest first, skipping skip and
	// at most limit, and counts all.
	AuditPage(ctx context.Context, org string, skip, limit int64) ([]AuditEntry, int64, error)
	// AuditAfter reads up to limit entries whose Seq is above after, oldest first.
	AuditAfter(ctx context.Context, org string, after, limit int64) ([]AuditEntry, error)
	// AuditHeads returns, by organization, the heads of all chains. A head may be
	// behind its chain (a crash between the two writes), never ahead of it. An
	// organization that has entries and no head is there with Seq 0.
	AuditHeads(ctx context.Context) ([]AuditHead, error)
}

// AuditVerifier walks one chain, oldest entry first.
type AuditVerifier struct {
	head AuditHead
	last AuditEntry
}

// NewAuditVerifier begins at the start of the chain that head is of.
func NewAuditVerifier(head AuditHead) *AuditVerifier { return &AuditVerifier{head: head} }

// Last returns the last entry that was walked.
func (v *AuditVerifier) Last() AuditEntry { return v.last }

// Walk takes the next entries of the chain. Its error names the first one that
// was changed or is missing.
func (v *AuditVerifier) Walk(entries []AuditEntry) error {
	for _, e := range entries {
		if e.Seq != v.last.Seq+1 {
			return fmt.Errorf("entry %d is missing", v.last.Seq+1)
		}
		if e.Org != v.head.Org || e.Prev != v.last.Hash || e.Hash != e.digest() || e.Seq == v.head.Seq && e.Hash != v.head.Hash {
			return fmt.Errorf("entry %d was changed", e.Seq)
		}
		v.last = e
	}
	return nil
}

// End is called after the last entry. Its error names the first one missing at
// the end.
func (v *AuditVerifier) End() error {
	if v.last.Seq < v.head.Seq {
		return fmt.Errorf("entry %d is missing", v.last.Seq+1)
	}
	return nil
}
