package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// InsertOrganization implements record.Organizations.
func (s *Store) InsertOrganization(ctx context.Context, o record.Organization) error {
	d, err := organizationToDoc(o)
	if err != nil {
		return err
	}
	taken, err := insert(ctx, s.organizations, d)
	if taken {
		return record.ErrDuplicate
	}
	return mongox.Wrap("insert organization", err)
}

// Organization implements record.Organizations.
func (s *Store) Organization(ctx context.Context, id record.OrgID) (record.Organization, error) {
	return one(ctx, s.organizations, "read organization", bson.D{eq("_id", id)}, organizationFromDoc)
}

// ReplaceOrganization implements record.Organizations.
func (s *Store) ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error {
	if o.Rev != prevRev+1 {
		return fmt.Errorf("replace organization: revision %d does not follow %d", o.Rev, prevRev)
	}
	d, err := organizationToDoc(o)
	if err != nil {
		return err
	}
	matched, err := update(ctx, s.organizations, bson.D{eq("_id", o.ID), eq("rev", prevRev)}, d)
	return mustMatch("replace organization", matched, err)
}
