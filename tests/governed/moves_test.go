package governed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/gofiber/fiber/v2"
)

// move is a request of a person, and its outcome by the rules.
type move struct {
	what, as, method, path string
	app                    func(*system) *fiber.App
	body                   any
	// refused are the permitted codes of a refusal; none means that it is accepted.
	refused []string
	// does is its effect on the world; interrupted, if set, is the effect if its
	// process dies during it.
	does, interrupted func(*world)
	// deed is the cause that a revision must name for it; empty for none.
	deed deed
}

// deed is an act that moves the figure.
type deed struct{ action, by, record string }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func ofRecords(s *system) *fiber.App { return s.recordsApp }
func ofReview(s *system) *fiber.App  { return s.reviewApp }
func ofCount(s *system) *fiber.App   { return s.countApp }

const base = "/events/" + string(event)

func managers(r *rand.Rand) string { return pick(r, "mia", "max", "ada") }

// next chooses a move.
func (p *play) next() move {
	if p.model.signed && p.random.IntN(3) == 0 {
		return p.withdraw()
	}
	if n := len(p.model.proposals); n > 0 && p.model.proposals[n-1].signs > 0 && p.random.IntN(2) == 0 {
		return p.second() // before the figure changes further
	}
	switch n := p.random.IntN(20); {
	case n < 3 || len(p.model.lines) < 2:
		return p.create()
	case n < 6:
		return p.submit()
	case n < 10:
		return p.decide()
	case n < 11:
		return p.edit()
	case n < 14:
		return p.patch()
	case n < 15:
		return p.adopt()
	case n < 16:
		return p.sign()
	case n < 19 && len(p.model.proposals) > 0:
		return p.second()
	}
	return p.policy()
}

func (p *play) create() move {
	p.names++
	name, by := fmt.Sprintf("n%d", p.names), pick(p.random, "ursula", "uwe", "mia")
	l := line{typ: "waste", amount: int64(1 + p.random.IntN(90)), status: "unsubmitted", hands: []string{by}, owner: by}
	if p.random.IntN(2) == 0 {
		l.typ = "flights"
	}
	m := move{what: "create " + name, as: by, method: http.MethodPost, path: base + "/" + l.typ, app: ofRecords, body: fieldsOf(l, name),
		does: func(w *world) { w.lines[name] = l }}
	if p.model.signed {
		m.refused = []string{"EVENT_SIGNED"}
	}
	return m
}

func fieldsOf(l line, name string) map[string]any {
	if l.typ == "flights" {
		return map[string]any{"externalReference": name, "from": "LHR", "to": "JFK", "distanceKm": 5000, "class": "economy", "passengers": l.amount}
	}
	return map[string]any{"externalReference": name, "treatment": "landfill", "weightKg": l.amount * 100}
}

// some returns a record, preferably one in the given state.
func (p *play) some(state string) string {
	all := slices.Sorted(maps.Keys(p.model.lines))
	in := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return p.model.lines[n].status != state })
	if len(in) == 0 || p.random.IntN(10) == 0 {
		in = all
	}
	return in[p.random.IntN(len(in))]
}

func (p *play) submit() move {
	name := p.some(pick(p.random, "unsubmitted", "changes_requested"))
	l := p.model.lines[name]
	m := move{what: "submit " + name, as: l.owner, method: http.MethodPost, path: idOf(p.records, name) + "/submit", app: ofRecords,
		does: func(w *world) { w.moved(name, "submitted", l.owner) }}
	if p.model.signed {
		m.refused = append(m.refused, "EVENT_SIGNED")
	}
	if l.status != "unsubmitted" && l.status != "changes_requested" {
		m.refused = append(m.refused, "INVALID_TRANSITION")
	}
	return m
}

func (w *world) moved(name, to string, hand ...string) {
	l := w.lines[name]
	l.status, l.hands = to, append(slices.Clone(l.hands), hand...)
	w.lines[name] = l
	w.ever = w.ever || to == "approved"
}

func (p *play) decide() move {
	by := managers(p.random)
	m := move{as: by, method: http.MethodPost, app: ofReview, body: map[string]any{"comment": "As " + by + " sees it."}}
	if p.random.IntN(3) == 0 {
		name := p.some("approved")
		m.what, m.path = "reopen "+name, idOf(p.records, name)+"/reopen"
		m.does, m.deed = func(w *world) { w.moved(name, "changes_requested") }, deed{"reopen", by, name}
		m.refuse(p.model.lines[name].status != "approved", "INVALID_TRANSITION")
		m.refuse(p.model.signed, "EVENT_SIGNED")
		return m
	}
	name := p.some("submitted")
	l := p.model.lines[name]
	m.what, m.path = "approve "+name, idOf(p.records, name)+"/approve"
	m.does, m.deed = func(w *world) { w.moved(name, "approved") }, deed{"approve", by, name}
	m.refuse(l.status != "submitted", "INVALID_TRANSITION")
	m.refuse(p.model.fourEyes && slices.Contains(l.hands, by), "SELF_APPROVAL_FORBIDDEN")
	m.refuse(p.model.signed, "EVENT_SIGNED")
	return m
}

// refuse adds a permitted code of a refusal.
func (m *move) refuse(when bool, code string) {
	if when {
		m.refused = append(m.refused, code)
	}
}

func (p *play) edit() move {
	name := p.some(pick(p.random, "unsubmitted", "changes_requested"))
	l := p.model.lines[name]
	next := l
	next.amount = int64(1 + p.random.IntN(90))
	m := move{what: "edit " + name, as: l.owner, method: http.MethodPatch, path: idOf(p.records, name), app: ofRecords, body: fieldsOf(next, name),
		does: func(w *world) {
			if w.lines[name].amount != next.amount {
				now := w.lines[name]
				now.amount = next.amount
				w.lines[name] = now
				w.moved(name, now.status, l.owner)
			}
		}}
	m.refuse(p.model.signed, "EVENT_SIGNED")
	m.refuse(l.status != "unsubmitted" && l.status != "changes_requested", "RECORD_LOCKED")
	return m
}

// patch changes the event: usually what determines the figure.
func (p *play) patch() move {
	by := managers(p.random)
	body := map[string]any{}
	var apply func(*setting)
	switch p.random.IntN(5) {
	case 0:
		attendees := int64(50 + p.random.IntN(300))
		body["attendees"], apply = attendees, func(c *setting) { c.attendees = attendees }
	case 1:
		forcing := p.random.IntN(2) == 0
		body["method"], apply = map[string]any{"radiativeForcing": forcing}, func(c *setting) { c.forcing = forcing }
	case 2:
		days := int64(1 + p.random.IntN(2))
		body["endDate"], apply = fmt.Sprintf("2026-06-%02d", days), func(c *setting) { c.days = days }
	case 3:
		reason := fmt.Sprintf("reason %d", p.random.IntN(3))
		body["boundary"] = map[string]any{"included": []string{}, "excluded": []map[string]any{{"type": "digital", "reason": reason}}}
		apply = func(c *setting) {
			c.boundary = `{"included":[],"excluded":[{"type":"digital","reason":"` + reason + `"}]}`
		}
	default:
		p.names++
		title := fmt.Sprint("Gala ", p.names)
		body["title"] = title
		return move{what: "rename", as: by, method: http.MethodPatch, path: base, app: ofRecords, body: body, does: func(w *world) { w.title = title }}
	}
	m := move{what: fmt.Sprint("patch ", body), as: by, method: http.MethodPatch, path: base, app: ofRecords, body: body}
	return p.govern(m, apply, "update-event")
}

// govern makes a move a proposal for a second manager, if the rules require it.
func (p *play) govern(m move, apply func(*setting), action string) move {
	after := p.model.setting
	apply(&after)
	if after == p.model.setting {
		m.does = func(*world) {}
		return m
	}
	body := maps.Clone(m.body.(map[string]any))
	if p.random.IntN(3) > 0 {
		body["comment"] = "Because " + m.as + " says so."
	}
	m.body = body
	m.refuse(p.model.signed, "EVENT_SIGNED")
	governed := p.model.ever || p.event().EverApproved // a process may have died before the approval
	m.refuse(governed && p.model.reason && body["comment"] == nil, "VALIDATION_ERROR")
	if governed && p.model.fourEyes {
		m.refuse(len(p.model.proposals) == 10, "PROPOSAL_LIMIT")
		m.does = func(w *world) {
			w.proposals = append(w.proposals, proposal{by: m.as, apply: apply, from: w.setting,
				assessed: action == "adopt-factor-set", ctxRev: w.ctxRev, revision: p.revision})
		}
		return m
	}
	m.does, m.deed = func(w *world) { w.change(apply) }, deed{action: action, by: m.as}
	return m
}

// change changes the setting and increments its number.
func (w *world) change(apply func(*setting)) {
	apply(&w.setting)
	w.ctxRev++
}

func (p *play) adopt() move {
	p.follow() // its effect is calculated on the records of the newest result, and no worker runs here
	set := pick(p.random, "desnz-2025", "desnz-2026")
	by := managers(p.random)
	m := move{what: "adopt " + set, as: by, method: http.MethodPost, path: base + "/factor-set", app: ofCount, body: map[string]any{"factorSet": set}}
	return p.govern(m, func(c *setting) { c.factorSet = set }, "adopt-factor-set")
}

func (p *play) sign() move {
	p.follow() // the newest revision is signed
	by, revision := managers(p.random), p.revision
	m := move{what: fmt.Sprint("sign ", revision), as: by, method: http.MethodPost, path: base + "/sign-off", app: ofCount,
		body: map[string]any{"revision": max(1, revision), "statement": "Final, says " + by + "."}}
	m.refuse(p.model.signed, "EVENT_SIGNED")
	m.refuse(p.model.approved() == 0, "RESULT_NOT_FOUND")
	if p.model.fourEyes {
		m.refuse(len(p.model.proposals) == 10, "PROPOSAL_LIMIT")
		m.does = func(w *world) { w.proposals = append(w.proposals, proposal{by: by, signs: revision}) }
		return m
	}
	m.does = func(w *world) { w.sign(revision, by) }
	return m
}

func (w *world) sign(revision int64, by string) {
	w.signed, w.editions = true, append(w.editions, signature{revision: revision, by: by})
}

// second approves or rejects what was proposed.
func (p *play) second() move {
	by, i := managers(p.random), len(p.model.proposals)-1
	if p.random.IntN(2) == 0 {
		i = p.random.IntN(i + 1)
	}
	change := p.model.proposals[i]
	id := p.event().Proposals[i].ID
	drop := func(w *world) { w.proposals = slices.Delete(slices.Clone(w.proposals), i, i+1) }
	m := move{as: by, method: http.MethodPost, path: base + "/changes/" + id, app: ofCount}
	if p.random.IntN(4) == 0 {
		m.what, m.does = "reject change", drop
		m.path += "/reject"
		return m
	}
	if change.signs == 0 && p.stale(change) && p.random.IntN(2) == 0 {
		return p.assess(m, i)
	}
	m.what = fmt.Sprintf("approve change %d of %s", i, change.by)
	m.path += "/approve"
	m.refuse(change.by == by, "SELF_APPROVAL_FORBIDDEN")
	m.refuse(p.model.signed, "EVENT_SIGNED")
	if change.signs > 0 {
		m.refuse(change.signs != p.revision, "PROPOSAL_STALE")
		m.refuse(p.model.approved() == 0, "RESULT_NOT_FOUND")
		m.interrupted = drop // the gate is closed, and opened by the sweeper
		m.does = func(w *world) { drop(w); w.sign(change.signs, by) }
		return m
	}
	m.refuse(p.stale(change), "PROPOSAL_STALE")
	m.does, m.deed = func(w *world) { drop(w); w.change(change.apply) }, deed{action: "approve-change", by: by}
	return m
}

// assess requests the effect of a stale change on the present event.
func (p *play) assess(m move, i int) move {
	m.what = fmt.Sprint("assess change ", i)
	m.path += "/assess"
	m.refuse(p.model.signed, "EVENT_SIGNED")
	m.refuse(p.model.proposals[i].overtaken(p.model.setting), "PROPOSAL_STALE")
	m.does = func(w *world) {
		w.proposals = slices.Clone(w.proposals)
		w.proposals[i].assessed, w.proposals[i].ctxRev, w.proposals[i].revision = true, w.ctxRev, p.revision
	}
	return m
}

// overtaken reports whether what a change modifies has been changed since.
func (c proposal) overtaken(now setting) bool {
	then, after := c.from, c.from
	c.apply(&after)
	return after.forcing != then.forcing && now.forcing != then.forcing || after.factorSet != then.factorSet && now.factorSet != then.factorSet ||
		after.attendees != then.attendees && now.attendees != then.attendees || after.days != then.days && now.days != then.days ||
		after.boundary != then.boundary && now.boundary != then.boundary
}

// stale reports whether the inputs of a change's effect have changed.
func (p *play) stale(c proposal) bool {
	return c.ctxRev != p.model.ctxRev || c.revision != p.revision
}

func (p *play) withdraw() move {
	by := managers(p.random)
	m := move{what: "withdraw", as: by, method: http.MethodPost, path: base + "/sign-off/withdraw", app: ofCount, body: map[string]any{"comment": "An invoice came late."},
		does: func(w *world) {
			w.signed = false
			w.editions = slices.Clone(w.editions)
			w.editions[len(w.editions)-1].withdrawn = true
		}}
	m.refuse(p.model.fourEyes && p.model.editions[len(p.model.editions)-1].by == by, "SELF_APPROVAL_FORBIDDEN")
	return m
}

// policy toggles four eyes or the requirement of a reason.
func (p *play) policy() move {
	by := pick(p.random, "ada", "alan")
	m := move{as: by, method: http.MethodPatch, path: "/organization", app: ofRecords}
	if p.random.IntN(3) == 0 {
		reason := p.random.IntN(2) == 0
		m.what, m.body = fmt.Sprint("requireReason ", reason), map[string]any{"policy": map[string]any{"requireReason": reason}}
		m.does = func(w *world) {
			switch {
			case w.reason == reason:
			case reason || !w.fourEyes:
				w.reason, w.offProposedBy, w.noReasonProposedBy = reason, "", ""
			case w.noReasonProposedBy == "" || w.noReasonProposedBy == by:
				w.noReasonProposedBy, w.offProposedBy = by, ""
			default:
				w.reason, w.noReasonProposedBy = false, ""
			}
		}
		return m
	}
	on := p.random.IntN(3) > 0
	m.what, m.body = fmt.Sprint("fourEyes ", on), map[string]any{"policy": map[string]any{"fourEyes": on}}
	m.does = func(w *world) {
		switch {
		case on == w.fourEyes:
		case on:
			w.fourEyes, w.offProposedBy, w.noReasonProposedBy = true, "", ""
		case w.offProposedBy == "" || w.offProposedBy == by:
			w.offProposedBy, w.noReasonProposedBy = by, ""
		default:
			w.fourEyes, w.offProposedBy = false, ""
		}
	}
	return m
}
