package record

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TeamRole is what a member of an event's team may do there, as far as the role in
// the organization allows it.
type TeamRole string

// The roles of a team, each with the rights of the one before.
const (
	TeamViewer      TeamRole = "viewer"
	TeamContributor TeamRole = "contributor"
	TeamReviewer    TeamRole = "reviewer"
)

// TeamRoles lists the roles of a team, the least first.
func TeamRoles() []TeamRole { return []TeamRole{TeamViewer, TeamContributor, TeamReviewer} }

// Needs returns the least role in the organization that a role of a team is for.
func (r TeamRole) Needs() identity.Role {
	switch r {
	case TeamViewer:
		return identity.Viewer
	case TeamContributor:
		return identity.User
	}
	return identity.Manager
}

// MaxTeam bounds the members of a team.
const MaxTeam = 100

// TeamMember is a member of an event's team.
type TeamMember struct {
	ID   string   `json:"userId"` // of the membership
	Role TeamRole `json:"role"`
}

// Access is the access of a caller to an event.
type Access struct {
	// Role is the role in the organization, cut down to that in the team.
	Role identity.Role
	// Decides reports whether the caller may decide on records, changes and sign-offs: if there is a team, only its
	// reviewers may.
	Decides bool
}

// AccessOf returns what a member of the organization may do with the event, and
// whether the event exists for them at all. It is decided by the event and the
// role in the organization alone; without a team, by the role.
func (e Event) AccessOf(member string, role identity.Role) (access Access, visible bool) {
	if len(e.Team) == 0 {
		return Access{Role: role, Decides: role.Holds(identity.Manager)}, true
	}
	i := slices.IndexFunc(e.Team, func(m TeamMember) bool { return m.ID == member })
	if role.Holds(identity.Admin) {
		return Access{Role: role, Decides: i >= 0 && e.Team[i].Role == TeamReviewer}, true
	}
	if i < 0 {
		return Access{}, false
	}
	if most := e.Team[i].Role.Needs(); role.Holds(most) {
		role = most
	}
	return Access{Role: role, Decides: role.Holds(identity.Manager)}, true
}

// Reviewers returns the ids of the team's reviewers.
func (e Event) Reviewers() []string {
	var ids []string
	for _, m := range e.Team {
		if m.Role == TeamReviewer {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// teamView is the team of an event as clients see and send it.
type teamView struct {
	Members []TeamMember `json:"members"`
	// WithoutReviewer is present if no member can review any more: then only an administrator may change the team.
	WithoutReviewer bool `json:"withoutReviewer,omitempty"`
}

// without returns the view with WithoutReviewer set.
func (v *teamView) without(reviewer bool) *teamView {
	if v != nil {
		v.WithoutReviewer = reviewer
	}
	return v
}

// teamOf returns the view of an event's team; nil if there is none.
func teamOf(team []TeamMember) *teamView {
	if len(team) == 0 {
		return nil
	}
	return &teamView{Members: team}
}

// EncodeTeam returns the stored form of the team; nil if there is none.
func (e Event) EncodeTeam() (*string, error) {
	if len(e.Team) == 0 {
		return nil, nil //nolint:nilnil // no team is no text
	}
	text, err := json.Marshal(e.Team)
	if err != nil {
		return nil, fmt.Errorf("team of event %s: %w", e.ID, err)
	}
	s := string(text)
	return &s, nil
}

// DecodeTeam reads what EncodeTeam returned.
func (e *Event) DecodeTeam(text *string) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal([]byte(*text), &e.Team)
}

// SpanOf returns where a page lies in a list of which these are all the numbers.
func SpanOf(numbers []int64, skip, limit int64) Span {
	slices.Sort(numbers)
	slices.Reverse(numbers)
	span := Span{Total: int64(len(numbers))}
	if skip = max(skip, 0); skip >= span.Total || limit <= 0 {
		return span
	}
	page := numbers[skip:min(span.Total, skip+min(limit, span.Total))]
	span.Count, span.High, span.Low = int64(len(page)), page[0], page[len(page)-1]
	return span
}
