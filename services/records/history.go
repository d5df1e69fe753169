package records

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// history lists who did what to a record, newest first.
func (s *server) history(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	r, err := s.Store.Record(c.UserContext(), orgOf(c), keyOf(c))
	if errors.Is(err, record.ErrNotFound) {
		return record.NoSuchRecord()
	}
	if err != nil {
		return err
	}
	entries, err := s.Store.Entries(c.UserContext(), orgOf(c), r.ID)
	if err != nil {
		return err
	}
	// A move that died before its write may have stored the newest entry
	// already; the record's own is the one that counts.
	entries = slices.DeleteFunc(entries, func(e record.Entry) bool { return e.Rev >= r.Last.Rev })
	entries = append(entries, r.Last)
	slices.Reverse(entries)
	total := int64(len(entries))
	from := min(page.Offset(), total)
	return web.OK(c, web.NewList(entries[from:min(from+page.Limit, total)], page, total))
}

type organizationView struct {
	ID     record.OrgID  `json:"_id"`
	Name   string        `json:"name"`
	Plan   string        `json:"plan"`
	Quota  quotaView     `json:"eventQuota"`
	Policy record.Policy `json:"policy"`
}

// quotaView has null for what an unlimited plan does not have.
type quotaView struct {
	Limit *int64 `json:"limit"`
	Used  int64  `json:"used"`
	Left  *int64 `json:"left"`
}

// organization shows the caller's own organization.
func (s *server) organization(c *fiber.Ctx) error {
	o, err := s.Store.Organization(c.UserContext(), orgOf(c))
	if err != nil {
		return err
	}
	used, err := s.Store.UsedSlots(c.UserContext(), o.ID)
	if err != nil {
		return err
	}
	return web.OK(c, organizationView{ID: o.ID, Name: o.Name, Plan: o.Plan, Policy: o.Policy, Quota: quotaOf(s.Quotas, o.Plan, used)})
}

func quotaOf(quotas app.Quotas, plan string, used int64) quotaView {
	view := quotaView{Used: used}
	if limit, ok := quotas[plan]; ok && limit != record.Unlimited {
		left := max(0, limit-used)
		view.Limit, view.Left = &limit, &left
	}
	return view
}
