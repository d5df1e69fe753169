package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// teams are the indexes for events visible to a user. Older versions work with them and do not change teams.
func teams() []mongox.Index {
	return []mongox.Index{index("events", "visible", "org", "deleted", "visibleTo", "slot")}
}

// Values of visibleTo of an event: without a team toAll, or nothing in events that predate teams; otherwise hasTeam,
// the ids of the members, and the ids of the reviewers again with the prefix reviewedBy.
const (
	toAll      = "*"
	hasTeam    = "#team"
	reviewedBy = "r:"
)

func visibleTo(e record.Event) []string {
	if len(e.Team) == 0 {
		return []string{toAll}
	}
	all := []string{hasTeam}
	for _, m := range e.Team {
		all = append(all, m.ID)
		if m.Role == record.TeamReviewer {
			all = append(all, reviewedBy+m.ID)
		}
	}
	return all
}

// visibleFilter returns the filter of the events that are not deleted, have no team, or have this token in visibleTo.
func visibleFilter(org record.OrgID, token string) bson.D {
	return bson.D{eq("org", org), eq("deleted", false), eq("visibleTo", bson.D{eq("$in", bson.A{nil, toAll, token})})}
}

// teamMemberDoc is a record.TeamMember.
type teamMemberDoc struct {
	ID   string `bson:"id"`
	Role string `bson:"role"`
}

func teamToDoc(team []record.TeamMember) []teamMemberDoc {
	all := make([]teamMemberDoc, len(team))
	for i, m := range team {
		all[i] = teamMemberDoc{m.ID, string(m.Role)}
	}
	return all
}

func teamFromDoc(team []teamMemberDoc) []record.TeamMember {
	var all []record.TeamMember
	for _, m := range team {
		all = append(all, record.TeamMember{ID: m.ID, Role: record.TeamRole(m.Role)})
	}
	return all
}

// VisibleSpan implements record.TeamPages. The slots of all events of the member are
// one reading, so total and page are of one moment.
func (s *Store) VisibleSpan(ctx context.Context, org record.OrgID, member string, skip, limit int64) (record.Span, error) {
	const verb = "find page of visible events"
	teams, err := exists(ctx, s.events, bson.D{eq("org", org), eq("deleted", false), eq("visibleTo", hasTeam)})
	if err != nil {
		return record.Span{}, mongox.Wrap(verb, err)
	}
	if !teams {
		return s.EventSpan(ctx, org, skip, limit)
	}
	slots, err := list(ctx, s.events, verb, visibleFilter(org, member), func(raw bson.Raw) (int64, error) { return numberIn(raw, "slot") },
		options.Find().SetSort(bson.D{eq("slot", -1)}).SetProjection(only("slot")))
	return record.SpanOf(slots, skip, limit), err
}

// VisibleRange implements record.TeamPages.
func (s *Store) VisibleRange(ctx context.Context, org record.OrgID, member string, from, to int64) ([]record.Event, error) {
	slots, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return listUpTo(ctx, s.events, "read visible events", record.RangeBytes, with(visibleFilter(org, member), eq("slot", slots)),
		eventFromDoc, options.Find().SetSort(bson.D{eq("slot", -1)}).SetLimit(most))
}

// VisibleRevisions implements record.TeamPages.
func (s *Store) VisibleRevisions(ctx context.Context, org record.OrgID, member string, from, to int64) ([]record.Revision, error) {
	l := s.eventsOf(org)
	l.filter = with(l.filter, visibleFilter(org, member)[2])
	return l.revisions(ctx, from, to)
}

// ReviewQueueOf implements record.ReviewQueue.
func (s *Store) ReviewQueueOf(ctx context.Context, org record.OrgID, member string, skip, limit int64) ([]record.Record, int64, error) {
	mine, err := s.eventIDs(ctx, visibleFilter(org, reviewedBy+member))
	if err != nil {
		return nil, 0, err
	}
	others, err := s.eventIDs(ctx, bson.D{eq("org", org), eq("deleted", false), eq("visibleTo", bson.D{eq("$eq", hasTeam), eq("$ne", reviewedBy+member)})})
	if err != nil {
		return nil, 0, err
	}
	// Use the shorter of the two lists.
	if len(others) > len(mine) {
		return s.queue(ctx, bson.D{eq("org", org), eq("event", bson.D{eq("$in", mine)})}, skip, limit)
	}
	deleted, err := s.deletedEvents(ctx, org)
	if err != nil {
		return nil, 0, err
	}
	return s.queue(ctx, bson.D{eq("org", org), eq("event", bson.D{eq("$nin", append(deleted, others...))})}, skip, limit)
}

// eventIDs returns the ids of the events that match; never nil.
func (s *Store) eventIDs(ctx context.Context, filter bson.D) (bson.A, error) {
	ids, err := list(ctx, s.events, "read ids of events", filter,
		func(d struct {
			ID string `bson:"_id"`
		}) (any, error) {
			return d.ID, nil
		}, options.Find().SetProjection(only("_id")))
	return append(bson.A{}, ids...), err
}
