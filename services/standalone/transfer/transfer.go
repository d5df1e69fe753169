// Package transfer copies the contents of the stores of one engine to those of another, and
// describes the contents of a set of stores independently of the engine. Backups, restores and
// migrations between engines use it.
//
// What an engine derives from the rest (the sets of deleted numbers, the guard of the last
// administrator, the heads of audit chains) is not copied, but derived again by the target.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Stores are the stores of the three owners of data, in one engine.
type Stores struct {
	Records  record.Store
	Results  resulttree.Store
	Accounts account.Store
}

// atOnce is how many rows are read at a time.
const atOnce = 500

// visitor receives the results of a walk, in an order in which they can be stored: referenced
// items come first.
type visitor interface {
	factorPack(ctx context.Context, p record.FactorPack) error
	organization(ctx context.Context, o record.Organization) error
	// failed is called with the error of an organization that was not read to its end, and returns nil to omit it.
	failed(ctx context.Context, org record.OrgID, err error) error
	policies(ctx context.Context, org record.OrgID, states []record.PolicyEntry) error
	imported(ctx context.Context, i record.Import, parts [][]byte) error
	supplierFactor(ctx context.Context, f record.SupplierFactor) error
	// capture decides how often an event is read: read visits the event and all that belongs to
	// it.
	capture(ctx context.Context, e record.Event, read func(record.Event) error) error
	event(ctx context.Context, e record.Event) error
	// records receives records of one sub-collection in the order of their numbers, with their
	// stored entries.
	records(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record, entries []record.StoredEntry) error
	eventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error
	node(ctx context.Context, n resulttree.Node) error
	changes(ctx context.Context, c resulttree.NodeChanges) error
	revision(ctx context.Context, r resulttree.Result) error
	retention(ctx context.Context, r resulttree.Retention) error
	part(ctx context.Context, p part) error
	result(ctx context.Context, r resulttree.Result) error
	key(ctx context.Context, org record.OrgID, k record.KeyEntry) error
	user(ctx context.Context, u account.User) error
	session(ctx context.Context, s account.Session) error
	audit(ctx context.Context, e account.AuditEntry) error
}

// part is a part of a signed revision.
type part struct {
	org   record.OrgID
	event record.EventID
	name  string
	data  []byte
}

// walk visits everything in a set of stores.
func walk(ctx context.Context, from Stores, v visitor) error {
	if err := walkFactorPacks(ctx, from, v); err != nil {
		return err
	}
	err := organizations(ctx, from, func(org record.OrgID) error {
		err := walkOrganization(ctx, from, v, org)
		if err != nil {
			err = v.failed(ctx, org, fmt.Errorf("organization %s: %w", org, err))
		}
		return err
	})
	if err != nil {
		return err
	}
	// The persons whose first organization was deleted are of the system.
	return walkAccounts(ctx, from, v, account.SystemOrg)
}

// walkFactorPacks visits the packs in the order in which they were added.
func walkFactorPacks(ctx context.Context, from Stores, v visitor) error {
	ids, err := from.Records.FactorPackIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		p, err := from.Records.FactorPack(ctx, id)
		if err != nil {
			return err
		}
		if err := v.factorPack(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func organizations(ctx context.Context, from Stores, do func(record.OrgID) error) error {
	return pages(func(after record.OrgID) ([]record.OrgID, error) {
		return from.Records.OrganizationIDs(ctx, after, atOnce)
	}, func(id record.OrgID) record.OrgID { return id }, do)
}

// pages reads pages of items until one is empty, each after the last item of the previous one.
func pages[T, Place any](read func(after Place) ([]T, error), place func(T) Place, do func(T) error) error {
	var after Place
	for {
		items, err := read(after)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, item := range items {
			if err := do(item); err != nil {
				return err
			}
			after = place(item)
		}
	}
}

func walkOrganization(ctx context.Context, from Stores, v visitor, org record.OrgID) error {
	o, err := from.Records.Organization(ctx, org)
	if err != nil {
		return err
	}
	if err := v.organization(ctx, o); err != nil {
		return err
	}
	// After the organization: a state that is moved out of its document meanwhile is found
	// here.
	if err := walkPolicies(ctx, from, v, org); err != nil {
		return err
	}
	// The audit log comes after the accounts, so that it has an entry for each, and before
	// everything else that it mentions, so that all of that is in the copy. The entry of an
	// action in between is missing; the next one on its event covers it.
	if err := walkAccounts(ctx, from, v, string(org)); err != nil {
		return err
	}
	err = pages(func(after string) ([]record.StoredSupplierFactor, error) {
		return from.Records.StoredSupplierFactors(ctx, org, after, atOnce)
	},
		func(f record.StoredSupplierFactor) string { return f.ID },
		func(f record.StoredSupplierFactor) error {
			if f.Damage != nil {
				return fmt.Errorf("supplier factor %s: %w", f.ID, f.Damage)
			}
			return v.supplierFactor(ctx, f.Factor)
		})
	if err != nil {
		return err
	}
	// An import is read before the records it creates: if it is resumed from the copy, existing
	// records are recognized, which changes nothing.
	err = pages(func(after string) ([]record.Import, error) { return from.Records.ImportsAfter(ctx, org, after, atOnce) },
		func(i record.Import) string { return i.ID },
		func(i record.Import) error { return walkImport(ctx, from, v, i) })
	if err != nil {
		return err
	}
	// Events created after this moment are left to the next backup; otherwise copying might
	// never end.
	used, err := from.Records.UsedSlots(ctx, org)
	if err != nil {
		return err
	}
	err = pages(func(after int64) ([]record.Event, error) {
		return from.Records.EventsAfter(ctx, org, after, int(min(atOnce, used-after)))
	},
		func(e record.Event) int64 { return e.Slot },
		func(e record.Event) error {
			return v.capture(ctx, e, func(e record.Event) error { return walkEvent(ctx, from, v, e) })
		})
	if err != nil {
		return err
	}
	return pages(func(after string) ([]record.KeyEntry, error) { return from.Records.KeysAfter(ctx, org, after, atOnce) },
		func(k record.KeyEntry) string { return k.ID },
		func(k record.KeyEntry) error { return v.key(ctx, org, k) })
}

// walkImport reads an import with its file. The file is removed when the import ends; if that
// happens meanwhile, the import is read again.
func walkImport(ctx context.Context, from Stores, v visitor, i record.Import) error {
	for {
		var parts [][]byte
		for i.HasFile {
			data, err := from.Records.ImportPart(ctx, i.Org, i.ID, int64(len(parts)))
			if errors.Is(err, record.ErrNotFound) {
				break
			}
			if err != nil {
				return err
			}
			parts = append(parts, data)
		}
		again, err := from.Records.Import(ctx, i.Org, i.Event, i.ID)
		if err != nil {
			return err
		}
		if again.HasFile == i.HasFile && again.Status == i.Status {
			return v.imported(ctx, i, parts)
		}
		i = again
	}
}

func walkEvent(ctx context.Context, from Stores, v visitor, e record.Event) error {
	if err := v.event(ctx, e); err != nil {
		return err
	}
	if err := walkRecords(ctx, from, v, e); err != nil {
		return err
	}
	// The newest entry is in the event; an entry above it is of an attempt that failed, or of a
	// later move.
	entries, err := from.Records.EventEntries(ctx, e.Org, e.ID, 0, e.Rev)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := v.eventEntry(ctx, e.Org, e.ID, entry); err != nil {
			return err
		}
	}
	return walkResults(ctx, from, v, e.Org, e.ID)
}

func walkRecords(ctx context.Context, from Stores, v visitor, e record.Event) error {
	place := record.Place{Event: e.ID}
	for {
		all, err := from.Records.RecordsAfter(ctx, e.Org, place, atOnce)
		if err != nil {
			return err
		}
		mine := all
		if n := slices.IndexFunc(all, func(r record.Record) bool { return r.Event != e.ID }); n >= 0 {
			mine = all[:n]
		}
		for rest := mine; len(rest) > 0; {
			same := rest
			if n := slices.IndexFunc(rest, func(r record.Record) bool { return r.Type != rest[0].Type }); n >= 0 {
				same = rest[:n]
			}
			rest = rest[len(same):]
			entries, err := entriesOf(ctx, from, e.Org, same)
			if err != nil {
				return err
			}
			if err := v.records(ctx, e.Org, same[0].Key().Sub(), same, entries); err != nil {
				return err
			}
			place = record.PlaceOf(same[len(same)-1])
		}
		if len(mine) < atOnce {
			return nil
		}
	}
}

// entriesOf reads the stored entries of records, without those of later moves.
func entriesOf(ctx context.Context, from Stores, org record.OrgID, records []record.Record) ([]record.StoredEntry, error) {
	ids, rev := make([]record.ID, len(records)), make(map[record.ID]int64, len(records))
	for i, r := range records {
		ids[i], rev[r.ID] = r.ID, r.Rev
	}
	var all []record.StoredEntry
	err := pages(func(after record.EntryPlace) ([]record.StoredEntry, error) {
		return from.Records.EntriesAfter(ctx, org, ids, after, atOnce)
	}, record.StoredEntry.Place, func(e record.StoredEntry) error {
		if e.Damage != nil {
			return fmt.Errorf("history of record %s, revision %d: %w (ecf audit verify names what is damaged)", e.Record, e.Entry.Rev, e.Damage)
		}
		if e.Entry.Rev <= rev[e.Record] {
			all = append(all, e)
		}
		return nil
	})
	return all, err
}

// revisionsAtOnce bounds the number of results in memory.
const revisionsAtOnce = 20

func walkResults(ctx context.Context, from Stores, v visitor, org record.OrgID, event record.EventID) error {
	for level := 0; level <= resulttree.TopLevel; level++ {
		nodes, err := from.Results.Nodes(ctx, org, event, "", level, 0, math.MaxInt64)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			if err := walkNode(ctx, from, v, n); err != nil {
				return err
			}
		}
	}
	if err := walkParts(ctx, from, v, org, event); err != nil {
		return err
	}
	r, err := from.Results.Result(ctx, org, event)
	if errors.Is(err, resulttree.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for first := int64(1); first < r.Revision; first += revisionsAtOnce {
		kept, err := from.Results.Revisions(ctx, org, event, first, min(first+revisionsAtOnce, r.Revision)-1)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if err := v.revision(ctx, k); err != nil {
				return err
			}
		}
	}
	// Read after the revisions, so that it includes those removed meanwhile.
	dropped, err := from.Results.Retention(ctx, org, event)
	if err != nil {
		return err
	}
	if dropped.Version > 0 {
		if err := v.retention(ctx, dropped); err != nil {
			return err
		}
	}
	return v.result(ctx, r)
}

func walkNode(ctx context.Context, from Stores, v visitor, n resulttree.Node) error {
	whole, err := from.Results.Node(ctx, n.Org, n.Event, n.NodeID)
	if err != nil {
		return err
	}
	all, err := from.Results.Changes(ctx, n.Org, n.Event, n.NodeID, 0, whole.Version)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := v.changes(ctx, c); err != nil {
			return err
		}
	}
	return v.node(ctx, whole)
}

// farAhead returns a time after any part was stored.
func farAhead() time.Time { return time.Now().AddDate(100, 0, 0) }

func walkParts(ctx context.Context, from Stores, v visitor, org record.OrgID, event record.EventID) error {
	names, err := from.Results.PartsBefore(ctx, org, event, farAhead())
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := from.Results.Part(ctx, org, event, name)
		if err != nil {
			return err
		}
		if err := v.part(ctx, part{org, event, name, data}); err != nil {
			return err
		}
	}
	return nil
}
