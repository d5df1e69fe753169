package web

import (
	"context"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Recall answers a read of an operation from a cache, exactly as the service would now,
// and reports whether it could. The caller must have been authenticated; the response
// has the fields that the service would set. Its body must not be modified.
type Recall func(ctx context.Context, operation string, p identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool
