package standalone

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestVerificationDoesNotSkipWhatCannotBeRead: whichever read of the organization fails, the verification fails too,
// instead of leaving out what it was read for.
func TestVerificationDoesNotSkipWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	var d Data
	d.Dir.Path = t.TempDir()
	opened, err := openStores(t.Context(), app.Env{}, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.close(); err != nil {
			t.Error(err)
		}
	})
	if err := opened.records.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Example", Plan: "team", CreatedAt: time.Now(), Rev: 1}); err != nil {
		t.Fatal(err)
	}
	for failing := 1; ; failing++ {
		once := &failsOnce{Store: opened.records, at: failing}
		stores := *opened
		stores.records = once
		_, err := verifyOrganization(t.Context(), io.Discard, &stores, "org")
		if once.reads < failing {
			if err != nil || failing < 3 {
				t.Errorf("%d reads without a failure: %v", once.reads, err)
			}
			return
		}
		if !errors.Is(err, errAway) {
			t.Errorf("read %d fails, and the verification returns %v", failing, err)
		}
	}
}

var errAway = errors.New("the database is away")

// failsOnce is a store of which one read of an organization fails.
type failsOnce struct {
	record.Store
	at, reads int
}

func (f *failsOnce) Organization(ctx context.Context, id record.OrgID) (record.Organization, error) {
	if f.reads++; f.reads == f.at {
		return record.Organization{}, errAway
	}
	return f.Store.Organization(ctx, id)
}
