package standalone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const (
	// keptAttempts bounds how often a difference from the audit log is read again, and
	// keptPause is the time in between, because entries are written after what they describe.
	keptAttempts = 4
	keptPause    = 250 * time.Millisecond
)

// verifyKept reports errors of what has no chain of its own: the organization, its policy, its
// library and its accounts, and whether all that its audit log mentions exists.
func verifyKept(ctx context.Context, stores *stores, org record.OrgID, report func(string) error) error {
	var faults []string
	for attempt := range keptAttempts {
		now, err := keptFaults(ctx, stores, org)
		if err != nil {
			return err
		}
		if attempt == 0 {
			faults = now
		} else { // a persistent difference is an error
			faults = slices.DeleteFunc(faults, func(f string) bool { return !slices.Contains(now, f) })
		}
		if len(faults) == 0 {
			return nil
		}
		if attempt == keptAttempts-1 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(keptPause):
		}
	}
	for _, f := range faults {
		if err := report(f); err != nil {
			return err
		}
	}
	return nil
}

// kept compares what is stored of one organization.
type kept struct {
	ctx    context.Context //nolint:containedctx // it lasts for one call
	stores *stores
	org    record.OrgID
	faults []string
}

func (k *kept) say(format string, args ...any) {
	k.faults = append(k.faults, fmt.Sprintf(format, args...))
}

// keptFaults is one attempt of verifyKept.
func keptFaults(ctx context.Context, stores *stores, org record.OrgID) ([]string, error) {
	k := &kept{ctx: ctx, stores: stores, org: org}
	o, err := stores.records.Organization(ctx, org)
	there := err == nil
	switch {
	case errors.Is(err, record.ErrNotFound):
		k.say("the organization is not there, and something of it is")
	case record.IsDamage(err):
		k.say("the organization cannot be read: %v", err)
	case err != nil:
		return nil, err
	}
	// The log is read last, so that it contains everything read before.
	users, err := k.users()
	if err != nil {
		return nil, err
	}
	factors, err := k.factors()
	if err != nil {
		return nil, err
	}
	log, err := readLog(ctx, stores.accounts, org)
	if err != nil {
		return nil, err
	}
	log.takeOwed(users)
	if there {
		log.takeOwedBy(o)
		if err := k.policy(o, log); err != nil {
			return nil, err
		}
	}
	if log.entries == 0 && len(users) > 0 {
		k.say("it has %d accounts, and no audit log", len(users))
	} else {
		k.roles(users, log)
	}
	for _, id := range log.factorIDs() {
		if f, ok := factors[id]; !ok {
			k.say("supplier factor %s: the audit log tells of it, and it is not there", id)
		} else if hash := log.factors[id]; hash != "" && f.ID != "" && !slices.ContainsFunc(f.History, func(e record.SupplierEntry) bool { return e.Hash == hash }) {
			k.say("supplier factor %s: the audit log tells of a change that its history does not have", id)
		}
	}
	if log.entries == 0 {
		events, err := stores.records.StoredEvents(ctx, org, 0, 1)
		if err != nil {
			return nil, err
		}
		if len(events) > 0 && len(users) == 0 {
			k.say("it has events, and neither accounts nor an audit log")
		}
	}
	return k.faults, k.events(log)
}

// policy compares the policy and the plan with their histories.
func (k *kept) policy(o record.Organization, log auditLog) error {
	states, err := record.PolicyHistory(k.ctx, k.stores.records, o)
	if record.IsDamage(err) {
		k.say("the states of its policy cannot be read: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := record.VerifyPolicies(o, states); err != nil {
		k.say("%v", err)
	}
	is := policyTexts(o)
	for _, name := range log.policyNames() {
		if is[name] != log.policy[name] {
			k.say("its %s is %s, and was last set to %s by the audit log", name, is[name], log.policy[name])
		}
	}
	if log.plan != "" && log.plan != o.Plan {
		k.say("its plan is %s, and was last set to %s by the audit log", o.Plan, log.plan)
	}
	return nil
}

// policyTexts returns the parts of a policy as the audit log records them.
func policyTexts(o record.Organization) map[string]string {
	return map[string]string{
		"fourEyes": fmt.Sprint(o.Policy.FourEyes), "requireReason": fmt.Sprint(o.Policy.RequireReason),
		"autoApproveBelowKg": o.Policy.AutoApprove.BelowKg.String(), "spotCheckOneIn": fmt.Sprint(o.Policy.AutoApprove.SpotCheckOneIn),
	}
}

// keptUser is the part of an account that is compared.
type keptUser struct {
	id       string
	role     identity.Role
	disabled bool
	listed   bool
	owed     []account.AuditEntry
}

// users returns the accounts, including deleted ones.
func (k *kept) users() (all []keptUser, err error) {
	for after := ""; ; {
		page, err := k.stores.accounts.UsersAfter(k.ctx, string(k.org), after, organizationsAtOnce)
		if err != nil || len(page) == 0 {
			return all, err
		}
		for _, u := range page {
			after = u.ID
			all = append(all, keptUser{u.ID, u.Role, u.Disabled, u.Listed(), u.Owed()})
		}
	}
}

// roles compares the roles of accounts with the audit log.
func (k *kept) roles(users []keptUser, log auditLog) {
	there := map[string]bool{}
	for _, u := range users {
		there[u.id] = true
		of, known := log.users[u.id]
		role, _, _ := strings.Cut(of.kind, ",")
		switch {
		case !u.listed:
		case !known || of.kind == "":
			k.say("account %s: the audit log does not say that it was made", u.id)
		case of.deleted:
			k.say("account %s: it was deleted by the audit log, and is there", u.id)
		case u.role.String() != role:
			k.say("account %s: its role is %s, and was last set to %s by the audit log", u.id, u.role, role)
		case of.disabled && !u.disabled:
			k.say("account %s: it was disabled by the audit log, and is not", u.id)
		}
	}
	for _, id := range log.userIDs() {
		if !there[id] {
			k.say("account %s: the audit log says that it was made, and it is not there", id)
		}
	}
}

// factors returns the library by id, after each version was compared with its history. It
// reports those that cannot be read or have no history.
func (k *kept) factors() (map[string]record.SupplierFactor, error) {
	all := map[string]record.SupplierFactor{}
	for after := ""; ; {
		page, err := k.stores.records.StoredSupplierFactors(k.ctx, k.org, after, organizationsAtOnce)
		if err != nil || len(page) == 0 {
			return all, err
		}
		for _, f := range page {
			after = f.ID
			err := f.Damage
			if all[f.ID] = f.Factor; err == nil {
				err = f.Factor.Verify()
			}
			if err != nil {
				k.say("supplier factor %s: %v", f.ID, err)
			}
		}
	}
}

// events compares the history of each event with the newest action on it in the audit log.
func (k *kept) events(log auditLog) error {
	for _, id := range log.eventIDs() {
		m := log.events[id]
		event := record.EventID(id)
		// The newest entry is stored in the event, and moved by the next change: the event is
		// read first, so it is found in one of the two.
		ev, err := k.stores.records.EventContext(k.ctx, k.org, event)
		if errors.Is(err, record.ErrNotFound) {
			k.say("event %s: the audit log tells of it, and it is not there", id)
			continue
		}
		if err == nil && m.revision > 0 {
			var entries []record.EventEntry
			entries, err = k.stores.records.EventEntries(k.ctx, k.org, event, m.revision, m.revision)
			if err == nil && ev.Last.Hash != m.hash && !slices.ContainsFunc(entries, func(e record.EventEntry) bool { return e.Hash == m.hash }) {
				k.say("event %s: its history does not have revision %d as the audit log has it", id, m.revision)
			}
		}
		if err != nil && !record.IsDamage(err) { // damage is reported with its history
			return err
		}
	}
	return nil
}
