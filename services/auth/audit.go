package auth

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/keyring"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// event is a security event: actor, action, subject and outcome. It refers to people by
// their ids, and has no email and no secret.
type event struct {
	id       string // identifies it, so that it is recorded once; empty for a new event
	action   string // "login", "user.role"
	org      string
	actor    string // the actor; empty for the caller or an operator
	subject  string // the user concerned
	session  string
	failed   string // why it was refused; empty if it was done
	from, to string // values before and after
}

// caller is what is known of the caller of a request, for events.
type caller struct {
	actor, requestID string
	origin           account.Origin
}

type callerKey struct{}

// withCaller stores the caller of a request for its events. Hashing for it is scheduled
// by network: the organization is not known before the password, and waiting times must
// not reveal whether there is one.
func withCaller(c *fiber.Ctx) context.Context {
	origin := originOf(c)
	return context.WithValue(password.For(c.UserContext(), addressKey(origin.Address)), callerKey{}, caller{
		actor: web.PrincipalOf(c).UserID, requestID: web.RequestID(c), origin: origin,
	})
}

// callerOf returns the caller of a request; false when there is no request.
func callerOf(ctx context.Context) (known caller, request bool) {
	known, request = ctx.Value(callerKey{}).(caller)
	return known, request
}

// auditTimeout limits the write of an entry, which continues when the client has
// disconnected.
const auditTimeout = 3 * time.Second

// maxPendingAudit limits the entries that wait for the store.
const maxPendingAudit = 10_000

// operator is the actor of operators' commands.
const operator = "operator"

// audit records an event: immediately as a log line, and as the next entry of its
// organization in the store. Callers do so before they respond and return its error, so
// that no response reports what is not in the audit log. An entry that could not be
// stored waits in memory until Follow writes it.
func (a *Accounts) audit(ctx context.Context, e event) error {
	entry := a.entry(ctx, e)
	a.logAudit(ctx, entry)
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	_, err := a.store.AppendAudit(short, entry)
	if err == nil {
		return nil
	}
	a.pending.add(entry)
	return apperr.New(apperr.Unavailable, "The audit log cannot be written right now.").Because(err)
}

// refuse records why a request is refused, and returns the error for its caller, or that of audit.
func (a *Accounts) refuse(ctx context.Context, e event, refusal error) error {
	return cmp.Or(a.audit(ctx, e), refusal)
}

// auditRefused is audit for requests that can be repeated immediately and are refused
// each time: repetitions by the same caller or, without one, for the same user are
// counted, and recorded at growing intervals.
func (a *Accounts) auditRefused(ctx context.Context, e event) error {
	known, _ := callerOf(ctx)
	_, nth, enter := a.refusals.Count(e.action, e.failed, e.org+":"+cmp.Or(known.actor, e.subject), a.now())
	if !enter {
		return nil
	}
	e.to = audit.Times(nth)
	return a.audit(ctx, e)
}

// entry returns the entry of an event.
func (a *Accounts) entry(ctx context.Context, e event) account.AuditEntry {
	known, request := callerOf(ctx)
	entry := account.AuditEntry{
		ID: cmp.Or(e.id, account.NewID()), Org: e.org, At: a.moment(), Action: e.action, Outcome: "done", Reason: e.failed,
		Actor: e.actor, Subject: e.subject, Session: e.session, Before: e.from, After: e.to,
		Address: known.origin.Address, RequestID: known.requestID,
	}
	if entry.Org == "" {
		entry.Org = account.SystemOrg
	}
	if e.failed != "" {
		entry.Outcome = "refused"
	}
	if entry.Actor == "" {
		entry.Actor = known.actor
		if !request {
			entry.Actor = operator
		}
	}
	return entry
}

// owing returns what a change of a user owes to the audit log.
type owing func(before, after account.User) []event

// owes is owing for events that do not depend on the change.
func owes(events ...event) owing {
	return func(account.User, account.User) []event { return events }
}

// invitedAgain is owing for an invitation with a new token.
func invitedAgain(_, u account.User) []event {
	return []event{{action: "user.invite", org: u.Org, subject: u.ID, to: KindOf(u)}}
}

// markOf returns the mark of a written user, with the entries that the write owes.
func (a *Accounts) markOf(ctx context.Context, events []event) string {
	entries := make([]account.AuditEntry, len(events))
	for i, e := range events {
		entries[i] = a.entry(ctx, e)
	}
	return account.NewMark(entries...)
}

// enter is audit for what the last write of a user owes. An entry that cannot be stored now stays
// in the user until Follow, or the next change of the user, writes it.
func (a *Accounts) enter(ctx context.Context, u account.User) error {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	for _, e := range u.Owed() {
		a.logAudit(ctx, e)
	}
	return madeUnentered(a.settle(short, u))
}

// madeUnentered returns the error of a change that was made and is not in the audit log yet. Without that its caller would
// take it for a change that was refused.
func madeUnentered(err error) error {
	if err == nil {
		return nil
	}
	return apperr.New(apperr.Unavailable, "The change was made, but the audit log cannot be written right now.").Because(err)
}

// settle stores the entries that the last write of a user owes, unless they are there.
func (a *Accounts) settle(ctx context.Context, u account.User) error {
	for _, e := range u.Owed() {
		if _, err := a.store.AppendAudit(ctx, e); err != nil {
			return apperr.New(apperr.Unavailable, "The audit log cannot be written right now.").Because(err)
		}
	}
	return nil
}

func (a *Accounts) logAudit(ctx context.Context, e account.AuditEntry) {
	level := slog.LevelInfo
	if e.Outcome != "done" {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("action", e.Action), slog.String("outcome", e.Outcome)}
	for _, pair := range [...][2]string{
		{"reason", e.Reason}, {"org", e.Org}, {"actor", e.Actor}, {"subject", e.Subject}, {"session", e.Session},
		{"from", e.Before}, {"to", e.After}, {"address", e.Address}, {"request_id", e.RequestID}, {"entry", e.ID},
	} {
		if pair[1] != "" {
			attrs = append(attrs, slog.String(pair[0], pair[1]))
		}
	}
	a.log.LogAttrs(ctx, level, "audit", attrs...)
}

// pendingAudit has the entries that are not stored yet, in order.
type pendingAudit struct {
	mu      sync.Mutex
	entries []account.AuditEntry
}

func (p *pendingAudit) add(e account.AuditEntry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.entries) < maxPendingAudit { // beyond the limit only the log has it
		p.entries = append(p.entries, e)
	}
}

func (p *pendingAudit) first() (account.AuditEntry, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.entries) == 0 {
		return account.AuditEntry{}, false
	}
	return p.entries[0], true
}

func (p *pendingAudit) dropFirst() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = p.entries[1:]
}

// flushAudit writes the pending entries. It must not be called concurrently.
func (a *Accounts) flushAudit(ctx context.Context) error {
	for {
		e, ok := a.pending.first()
		if !ok {
			return nil
		}
		if _, err := a.store.AppendAudit(ctx, e); err != nil {
			return err
		}
		a.pending.dropFirst()
	}
}

// RotateKeys records that the next signing key is added to a keyring, and adds it.
func (a *Accounts) RotateKeys(ctx context.Context, keys *keyring.Keyring) (kid string, from time.Time, err error) {
	return keys.Rotate(func(kid string, from time.Time) error {
		return a.audit(ctx, event{action: "keys.rotate", subject: kid, to: "signs from " + stamp(from)})
	})
}

// ReportKeyAdded records that a key that signs reports is added.
func (a *Accounts) ReportKeyAdded(ctx context.Context, kid string) error {
	return a.audit(ctx, event{action: "keys.rotate", subject: kid, to: "signs reports"})
}

// FactorPackAdded records that a factor set was added; signer is empty for a pack
// without a signature.
func (a *Accounts) FactorPackAdded(ctx context.Context, id, checksum, signer string) error {
	signed := "not signed"
	if signer != "" {
		signed = "signed with " + signer
	}
	return a.audit(ctx, event{action: "factors.add", subject: id, to: checksum + ", " + signed})
}

// PlanAction is the action of entries on the plan of an organization.
const PlanAction = "organization.plan"

// PlanSet records on which plan a revision of an organization was put, once; before is empty for a
// new one.
func (a *Accounts) PlanSet(ctx context.Context, org string, rev int64, before, plan string) error {
	return a.audit(ctx, planSet(org, rev, before, plan))
}

// PlanOwed is PlanSet for a change by an earlier command, which may have been killed before it has
// recorded it.
func (a *Accounts) PlanOwed(ctx context.Context, org string, rev int64, before, plan string) error {
	_, err := a.store.AppendAudit(ctx, a.entry(ctx, planSet(org, rev, before, plan)))
	return unavailable(err)
}

func planSet(org string, rev int64, before, plan string) event {
	return event{id: fmt.Sprintf("%s:%s/%d", PlanAction, org, rev), action: PlanAction, org: org, subject: org, from: before, to: plan}
}

// Chain is what VerifyAudit found of one organization.
type Chain struct {
	Org     string
	Entries int64
	Last    string // the hash of the last entry
	// Fault names the first entry that was changed or is missing; nil: none.
	Fault error
}

// auditBatch is how many entries are verified per read.
const auditBatch = 1000

// VerifyAudit walks the audit log of every organization.
func (a *Accounts) VerifyAudit(ctx context.Context) ([]Chain, error) {
	heads, err := a.store.AuditHeads(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	chains := make([]Chain, 0, len(heads))
	for _, head := range heads {
		v := account.NewAuditVerifier(head)
		var fault error
		for fault == nil {
			entries, err := a.store.AuditAfter(ctx, head.Org, v.Last().Seq, auditBatch)
			if err != nil {
				return nil, unavailable(err)
			}
			if len(entries) == 0 {
				fault = v.End()
				break
			}
			fault = v.Walk(entries)
		}
		chains = append(chains, Chain{Org: head.Org, Entries: v.Last().Seq, Last: v.Last().Hash, Fault: fault})
	}
	return chains, nil
}

type auditJSON struct {
	ID        string `json:"_id"`
	Sequence  int64  `json:"sequence"`
	At        string `json:"at"`
	Action    string `json:"action"`
	Outcome   string `json:"outcome"`
	Reason    string `json:"reason,omitempty"`
	Actor     string `json:"actor,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Session   string `json:"session,omitempty"`
	Before    string `json:"before,omitempty"`
	After     string `json:"after,omitempty"`
	Address   string `json:"address,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	Previous  string `json:"previousHash"`
	Hash      string `json:"hash"`
}

// listAudit answers GET /organization/audit.
func (s *Service) listAudit(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	found, total, err := s.store.AuditPage(c.UserContext(), web.PrincipalOf(c).Org, page.Offset(), page.Limit)
	if err != nil {
		return unavailable(err)
	}
	items := make([]auditJSON, len(found))
	for i, e := range found {
		items[i] = auditJSON{
			ID: e.ID, Sequence: e.Seq, At: stamp(e.At), Action: e.Action, Outcome: e.Outcome, Reason: e.Reason, Actor: e.Actor,
			Subject: e.Subject, Session: e.Session, Before: e.Before, After: e.After, Address: e.Address, RequestID: e.RequestID,
			Previous: e.Prev, Hash: e.Hash,
		}
	}
	return web.OK(c, web.NewList(items, page, total))
}
