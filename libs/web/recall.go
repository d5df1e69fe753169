package web

import (
	"context"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Recall answers a read of an operation, by its id, as the service that has given it would now,
// where that is known without asking the service, and reports whether it could. Who calls has
// been found out by whoever asks, and the answer has the fields that are the service's own. The
// body of the answer must not be written to.
type Recall func(ctx context.Context, operation string, p identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool
