package testkit

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/event"
)

// Monitors returns a monitor of commands that calls each of several.
func Monitors(all ...*event.CommandMonitor) *event.CommandMonitor {
	return &event.CommandMonitor{Started: func(ctx context.Context, e *event.CommandStartedEvent) {
		for _, m := range all {
			m.Started(ctx, e)
		}
	}}
}
