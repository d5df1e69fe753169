package peer

import (
	"context"
	"log/slog"
)

// Warn logs that a process cannot distinguish services from other callers.
func Warn(ctx context.Context, log *slog.Logger) {
	log.WarnContext(ctx, "neither ECF_PEER_SECRET nor ECF_TLS_CERT is set: auth cannot tell the services from others, so it takes the address of the connection for the client's and refuses what is reported of others")
}
