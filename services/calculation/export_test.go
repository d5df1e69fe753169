package calculation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// Keep keeps an edition as a sign-off does.
func Keep(ctx context.Context, d Deps, ev record.Event, edition, revision int64, by record.Actor, at time.Time) (root string, err error) {
	return newServer(d).keep(ctx, ev, signing{edition: edition, revision: revision, statement: "As agreed", by: by, at: at, open: json.RawMessage(`[]`)})
}
