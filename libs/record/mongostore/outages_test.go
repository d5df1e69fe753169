package mongostore_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestEveryMethodTellsOutages(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	testkit.RequireUnavailableDuringOutages[record.Store](t, between, open(t, connect(t, through, nil).Database(database)), nil, record.ErrConflict)
}
