package resulttree

import (
	"context"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// sweepLimit bounds the due events of one sweep, oldest first.
const sweepLimit = 1000

// longestSilence is the most sweeps between two notifications for a mark that stays.
const longestSilence = 32

// Sweeper notifies of events whose marks remain, because the notification was lost or the worker
// crashed. It compares no clocks, only the marks of the previous sweep, so it may run
// in any number of processes, and a wrong clock does no harm.
type Sweeper struct {
	Records interface {
		MarkedEvents(ctx context.Context, limit int) ([]record.MarkedEvent, error)
	}
	Notifier interface {
		TryNotify(ctx context.Context, org record.OrgID, event record.EventID) error
	}
	Logger *slog.Logger
	// Looked, if set, is called after each read of the marks and each notification,
	// whether it failed or not, to show that the sweeper makes progress.
	Looked func()

	seen map[record.EventID]sighting
}

// sighting is how often in a row an event was seen with the same oldest mark.
type sighting struct {
	mark  string
	times int
}

// Run sweeps at each tick until ctx ends.
func (s *Sweeper) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	outage := telemetry.NewOutage(s.Logger, nil, "the sweep of results that are due")
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			outage.Report(ctx, s.Sweep(ctx))
		}
	}
}

// Sweep sweeps once. It notifies of a mark when it is seen for the second time, then
// the fourth, the eighth and so on (exponential backoff), so that an event which cannot be
// calculated does not fill the queue. A failed notification is repeated at the next
// sweep: when the queue is back, no event waits for the next power of two.
func (s *Sweeper) Sweep(ctx context.Context) error {
	due, err := s.Records.MarkedEvents(ctx, sweepLimit)
	s.looked()
	if err != nil {
		return err
	}
	seen := make(map[record.EventID]sighting, len(due))
	for _, e := range due {
		now := sighting{mark: e.Mark, times: 1}
		if before := s.seen[e.Event]; before.mark == e.Mark {
			now.times = before.times + 1
		}
		if notifiesAt(now.times) {
			if s.Notifier.TryNotify(ctx, e.Org, e.Event) != nil {
				now.times--
			}
			s.looked()
		}
		seen[e.Event] = now
	}
	s.seen = seen
	return nil
}

func (s *Sweeper) looked() {
	if s.Looked != nil {
		s.Looked()
	}
}

// notifiesAt reports whether the sweeper notifies at this sighting of a mark.
func notifiesAt(times int) bool {
	if times >= longestSilence {
		return times%longestSilence == 0
	}
	return times >= 2 && times&(times-1) == 0
}
