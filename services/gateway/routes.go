package gateway

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/web"
)

// operations returns the table of operations as the gateway applies it: roles are
// checked by the service, which reports a missing object or type first (404, then 403).
func operations() api.Table { return append(api.Operations(), api.Pages()...).SignedIn() }

// routes returns the handlers of all operations: those of the gateway itself, and those
// that forward requests to a service.
func (g *gateway) routes(d *docs) ([]web.Route, error) {
	own := map[string]fiber.Handler{
		"health": web.ServeLive, "healthLive": web.ServeLive, "healthReady": g.Health.ServeReady,
		"docs": d.page, "docsAsset": d.asset, "openapi": d.openapi, "setupPage": d.setupForm,
	}
	for name, text := range d.texts {
		own[name] = text.send
	}
	costs := map[string]api.Cost{} // SignedIn removes them from the table
	for _, o := range api.Operations() {
		costs[o.ID] = o.Cost
	}
	var list []web.Route
	for _, o := range operations() {
		o.Cost = costs[o.ID]
		handler := own[o.ID]
		if o.Service != api.Gateway {
			pass := g.proxy(o)
			handler = unlessAsked(pass, g.underWay(o, g.inTurn(o, pass)))
		}
		if handler == nil {
			return nil, fmt.Errorf("gateway: operation %s has no handler", o)
		}
		if err := g.early.add(o); err != nil {
			return nil, err
		}
		described := g.Document.Operation(o.ID)
		g.fastPath.add(o, described.Deprecated != nil)
		list = append(list, web.Route{Operation: o.ID, Handler: announced(described, g.taken(o, g.withBody(o, handler))),
			Resolve: func(c *fiber.Ctx) error { return g.limitAddress(c, o.Limit) }})
	}
	return list, nil
}
