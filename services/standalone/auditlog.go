package standalone

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// auditLog is the state of an organization according to its audit log.
type auditLog struct {
	entries int64
	users   map[string]loggedUser
	events  map[string]loggedEvent
	factors map[string]string // hash of the newest change; empty if older than the log
	policy  map[string]string
	plan    string
}

// loggedUser is an account: its role, and whether it is a service account.
type loggedUser struct {
	kind              string
	deleted, disabled bool
}

// loggedEvent is the newest action on an event.
type loggedEvent struct {
	revision int64
	hash     string
}

// userIDs returns the ids of all accounts created; accounts remain when they are deleted.
func (l auditLog) userIDs() (ids []string) {
	for id, u := range l.users {
		if u.kind != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (l auditLog) eventIDs() []string    { return slices.Sorted(maps.Keys(l.events)) }
func (l auditLog) factorIDs() []string   { return slices.Sorted(maps.Keys(l.factors)) }
func (l auditLog) policyNames() []string { return slices.Sorted(maps.Keys(l.policy)) }

// logAtOnce is how many entries are read at a time.
const logAtOnce = 1000

// readLog reads the audit log of an organization.
func readLog(ctx context.Context, store account.Audit, org record.OrgID) (auditLog, error) {
	l := auditLog{users: map[string]loggedUser{}, events: map[string]loggedEvent{}, factors: map[string]string{}, policy: map[string]string{}}
	for after := int64(0); ; {
		page, err := store.AuditAfter(ctx, string(org), after, logAtOnce)
		if err != nil || len(page) == 0 {
			return l, err
		}
		for _, e := range page {
			after = e.Seq
			l.entries++
			if e.Outcome == "done" {
				l.take(e)
			}
		}
	}
}

// takeOwed takes the entries that a killed process has left in accounts: a server enters them as
// soon as it runs, and any program with the next change of the account.
func (l *auditLog) takeOwed(users []keptUser) {
	for _, u := range users {
		for _, e := range u.owed {
			l.entries++
			l.take(e)
		}
	}
}

// takeOwedBy takes the last changes of an organization: a killed process may not have entered
// them, and the next change does.
func (l *auditLog) takeOwedBy(o record.Organization) {
	for _, c := range o.Owed {
		l.take(account.AuditEntry{Action: c.Action, Subject: string(o.ID), Before: c.Before, After: c.After})
	}
}

func (l auditLog) takeUser(e account.AuditEntry) {
	u := l.users[e.Subject]
	switch e.Action {
	case "user.create", "user.invite", "user.accept":
		u = loggedUser{kind: e.After}
	case "user.role":
		u.kind = e.After
	case "user.delete":
		u.deleted = true
	case "user.disable", "user.enable":
		u.disabled = e.Action == "user.disable"
	default:
		return
	}
	l.users[e.Subject] = u
}

// policyParts has the names of all parts of a policy.
var policyParts = policyTexts(record.Organization{})

func (l *auditLog) take(e account.AuditEntry) {
	switch {
	case strings.HasPrefix(e.Action, "user."):
		l.takeUser(e)
	case strings.HasPrefix(e.Action, audit.Event):
		m := loggedEvent{}
		if _, err := fmt.Sscanf(e.After, "revision %d, %s", &m.revision, &m.hash); err != nil {
			m = loggedEvent{} // its existence is known all the same
		}
		if known, ok := l.events[e.Subject]; !ok || known.revision <= m.revision {
			l.events[e.Subject] = m
		}
	case strings.HasPrefix(e.Action, audit.SupplierFactor):
		hash := e.After[strings.LastIndex(e.After, " ")+1:]
		if len(hash) != 2*sha256.Size {
			hash = ""
		}
		l.factors[e.Subject] = hash
	case e.Action == audit.Organization:
		for change := range strings.SplitSeq(e.After, ", ") {
			name, value, _ := strings.Cut(change, " ")
			if _, part := policyParts[name]; part { // not a proposal
				l.policy[name] = value
			}
		}
	case e.Action == auth.PlanAction:
		l.plan = e.After
	}
}
