package client

import (
	"context"
	"net/http"
)

// SupplierFactorPatch changes a proposal: what it names replaces, nil takes away.
type SupplierFactorPatch map[string]any

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
	k := change(http.MethodPatch, p, "supplier-factors", factorID)
	k.keyed = true
	return ask[SupplierFactor](ctx, c, k, options)
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
