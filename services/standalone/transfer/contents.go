package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Kind is the number of items of one kind, and a hash over all of them.
type Kind struct {
	Count  int64  `json:"count"`
	SHA256 string `json:"sha256"`
}

// Contents describes what a set of stores contains. It is equal for two engines with the same
// data: rows are compared by meaning, not by storage format.
type Contents map[string]Kind

// ContentsOf reads everything in a set of stores.
func ContentsOf(ctx context.Context, of Stores) (Contents, error) {
	c := counter{}
	if err := walk(ctx, of, c); err != nil {
		return nil, err
	}
	contents := Contents{}
	for kind, t := range c {
		contents[kind] = Kind{t.count, hex.EncodeToString(t.hash.Sum(nil))}
	}
	return contents, nil
}

// Counts returns the contents without hashes, which are comparable only between contents made
// by the same release.
func (c Contents) Counts() Contents {
	counts := Contents{}
	for kind, k := range c {
		counts[kind] = Kind{Count: k.Count}
	}
	return counts
}

// Compare returns an error that describes the differences from want.
func (c Contents) Compare(want Contents) error {
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		switch {
		case c[kind].Count != want[kind].Count:
			return fmt.Errorf("there are %d of %s, and there should be %d", c[kind].Count, kind, want[kind].Count)
		case c[kind] != want[kind]:
			return fmt.Errorf("the %s are as many as they should be, and not the same", kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		if _, ok := want[kind]; !ok {
			return fmt.Errorf("there are %d of %s, and there should be none", c[kind].Count, kind)
		}
	}
	return nil
}

// counter counts and hashes what a walk finds, by kind.
type counter map[string]*tally

type tally struct {
	count int64
	hash  hash.Hash
}

func (c counter) add(kind string, values ...any) error {
	t := c[kind]
	if t == nil {
		t = &tally{hash: sha256.New()}
		c[kind] = t
	}
	t.count++
	for _, v := range values {
		if err := frame(t.hash, "row", func() error { return write(t.hash, reflect.ValueOf(v)) }); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func (c counter) factorPack(_ context.Context, p record.FactorPack) error {
	return c.add("factor packs", p)
}

func (c counter) organization(_ context.Context, o record.Organization) error {
	return c.add("organizations", o)
}

func (c counter) failed(_ context.Context, _ record.OrgID, err error) error { return err }

func (c counter) policies(_ context.Context, org record.OrgID, states []record.PolicyEntry) error {
	for _, e := range states {
		if err := c.add("older policies", org, e); err != nil {
			return err
		}
	}
	return nil
}

func (c counter) imported(_ context.Context, i record.Import, parts [][]byte) error {
	return c.add("imports", i, parts)
}

func (c counter) supplierFactor(_ context.Context, f record.SupplierFactor) error {
	return c.add("supplier factors", f)
}

func (c counter) capture(_ context.Context, e record.Event, read func(record.Event) error) error {
	return read(e)
}

// event counts a mark by its presence: the steps of an old schema make marks, others each time they run.
func (c counter) event(_ context.Context, e record.Event) error {
	if e.Mark != "" {
		e.Mark = "marked"
	}
	return c.add("events", e)
}

func (c counter) records(_ context.Context, org record.OrgID, _ record.Sub, records []record.Record, entries []record.StoredEntry) error {
	for _, r := range records {
		if err := c.add("records", r); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := c.add("history entries", org, e.Event, e.Record, e.Entry); err != nil {
			return err
		}
	}
	return nil
}

func (c counter) eventEntry(_ context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	return c.add("event history entries", org, id, e)
}

func (c counter) node(_ context.Context, n resulttree.Node) error {
	return c.add("result nodes", n)
}

func (c counter) changes(_ context.Context, v resulttree.NodeChanges) error {
	return c.add("result changes", v)
}

func (c counter) retention(_ context.Context, r resulttree.Retention) error {
	return c.add("retentions", r)
}

func (c counter) revision(_ context.Context, r resulttree.Result) error {
	return c.add("result revisions", r)
}

func (c counter) part(_ context.Context, p part) error {
	return c.add("signed parts", p.org, p.event, p.name, p.data)
}

func (c counter) result(_ context.Context, r resulttree.Result) error {
	return c.add("results", r)
}

func (c counter) key(_ context.Context, org record.OrgID, k record.KeyEntry) error {
	return c.add("idempotency keys", org, k)
}

func (c counter) user(_ context.Context, u account.User) error { return c.add("users", u) }

func (c counter) session(_ context.Context, s account.Session) error { return c.add("sessions", s) }

func (c counter) audit(_ context.Context, e account.AuditEntry) error {
	return c.add("audit entries", e)
}
