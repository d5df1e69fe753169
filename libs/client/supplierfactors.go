package client

import (
	"context"
	"net/http"
	"time"
)

// SupplierFactor is one version of a supplier's factor in the library of the
// organization.
type SupplierFactor struct {
	// Identifier of the version.
	ID string `json:"_id"`
	// 1 for the first of its name, and so on.
	Version int `json:"version"`
	// Name and version as records write them.
	Reference string `json:"reference"`
	// proposed, approved, rejected or withdrawn.
	Status string `json:"status"`
	// Counts the changes of the version.
	Revision  int   `json:"revision"`
	CreatedBy Actor `json:"createdBy"`
	// When it was proposed.
	CreatedAt time.Time `json:"createdAt"`
	// When it was changed last.
	UpdatedAt time.Time `json:"updatedAt"`
	// Who decided last; nil while nobody did.
	DecidedBy *Actor `json:"decidedBy"`
	// When.
	DecidedAt *time.Time `json:"decidedAt"`
	// What was said with the decision.
	Comment string `json:"comment,omitempty"`
	SupplierFactorInput
	// Fields of this request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// SupplierFactorInput is a factor that a supplier states.
type SupplierFactorInput struct {
	// Name by which records use it.
	Name string `json:"name"`
	// Kilograms of CO2 equivalent for one unit.
	KgCO2ePerUnit float64 `json:"kgCO2ePerUnit"`
	// What the figure is for: kWh, an ISO 4217 code, or anything.
	Unit string `json:"unit"`
	// direct, upstream or combined, which is the default.
	Stage string `json:"stage,omitempty"`
	// Category of scope 3 of what is bought.
	Scope3Category string `json:"scope3Category,omitempty"`
	// First day on which it holds, YYYY-MM-DD.
	ValidFrom string `json:"validFrom,omitempty"`
	// Last day on which it holds, YYYY-MM-DD.
	ValidTo string `json:"validTo,omitempty"`
	// Where the figure was published.
	Source string `json:"source"`
	// Documents behind the figure; one at least has a hash.
	Evidence []Evidence `json:"evidence"`
	// The 95 % interval reaches from the figure ÷ this to the figure × this; 0: not
	// stated.
	UncertaintyFactor float64 `json:"uncertaintyFactor,omitempty"`
}

// SupplierFactorPatch changes a proposal: what it names replaces, nil takes away.
type SupplierFactorPatch map[string]any

// SupplierFactorEntry is one change of a version.
type SupplierFactorEntry struct {
	// The revision that the change made.
	Revision int `json:"revision"`
	// What was done.
	Action string `json:"action"`
	By     Actor  `json:"by"`
	// When.
	At time.Time `json:"at"`
	// What was said with it.
	Comment string `json:"comment,omitempty"`
	// The fields that an edit changed.
	Changed []string `json:"changed,omitempty"`
	// Whether the organization asked for four eyes when it was decided.
	FourEyes bool `json:"fourEyes,omitempty"`
	// Revision of the policy it was decided under.
	PolicyRevision int `json:"policyRevision,omitempty"`
}

// ListSupplierFactors lists the library, by name and the newest version first.
func (c *Client) ListSupplierFactors() *Listing[SupplierFactor] {
	return list[SupplierFactor](c, "supplier-factors")
}

// CreateSupplierFactor proposes a factor, or the next version of one.
func (c *Client) CreateSupplierFactor(ctx context.Context, f SupplierFactorInput, options ...Option) (*SupplierFactor, error) {
	return ask[SupplierFactor](ctx, c, post(f, "supplier-factors"), options)
}

// GetSupplierFactor reads a version.
func (c *Client) GetSupplierFactor(ctx context.Context, factorID string, options ...Option) (*SupplierFactor, error) {
	return ask[SupplierFactor](ctx, c, get("supplier-factors", factorID), options)
}

// ListSupplierFactorHistory lists what happened to a version, newest first.
func (c *Client) ListSupplierFactorHistory(factorID string) *Listing[SupplierFactorEntry] {
	return list[SupplierFactorEntry](c, "supplier-factors", factorID, "history")
}

// UpdateSupplierFactor changes a proposal.
func (c *Client) UpdateSupplierFactor(ctx context.Context, factorID string, p SupplierFactorPatch, options ...Option) (*SupplierFactor, error) {
	return ask[SupplierFactor](ctx, c, change(http.MethodPatch, p, "supplier-factors", factorID), options)
}

// DeleteSupplierFactor deletes a proposal, or one that was rejected.
func (c *Client) DeleteSupplierFactor(ctx context.Context, factorID string, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, change(http.MethodDelete, nil, "supplier-factors", factorID), options)
}

// ApproveSupplierFactor lets records use a version. For managers.
func (c *Client) ApproveSupplierFactor(ctx context.Context, factorID, comment string, options ...Option) (*SupplierFactor, error) {
	return c.decideSupplierFactor(ctx, factorID, "approve", comment, options)
}

// RejectSupplierFactor rejects a proposal; the comment says why. For managers.
func (c *Client) RejectSupplierFactor(ctx context.Context, factorID, comment string, options ...Option) (*SupplierFactor, error) {
	return c.decideSupplierFactor(ctx, factorID, "reject", comment, options)
}

// WithdrawSupplierFactor takes an approved version out of use; the comment says
// why. Records that use it keep it. For managers.
func (c *Client) WithdrawSupplierFactor(ctx context.Context, factorID, comment string, options ...Option) (*SupplierFactor, error) {
	return c.decideSupplierFactor(ctx, factorID, "withdraw", comment, options)
}

func (c *Client) decideSupplierFactor(ctx context.Context, factorID, action, comment string, options []Option) (*SupplierFactor, error) {
	body := map[string]string{}
	if comment != "" {
		body["comment"] = comment
	}
	k := post(body, "supplier-factors", factorID, action)
	k.guarded = true
	return ask[SupplierFactor](ctx, c, k, options)
}
