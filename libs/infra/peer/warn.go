package peer

import (
	"context"
	"log/slog"
)

// Warn says that a process has nothing to tell services from others by.
func Warn(ctx context.Context, log *slog.Logger) {
	log.WarnContext(ctx, "neither ECF_PEER_SECRET nor ECF_TLS_CERT is set: auth cannot tell the services from others, so it takes the address of the connection for the client's and refuses what is reported of others")
}
