package web

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
)

const (
	// expensiveWaiting is how much expensive work one organization may have
	// waiting in a process; more is refused.
	expensiveWaiting = 32
	// expensivePolicy is the name of that limit in the RateLimit fields.
	expensivePolicy = "expensive"
	// aloneAfter is how long no other organization must have read anything until one
	// may take more than its share of the places for reading.
	aloneAfter = time.Minute
	// LeastTurn is how long a place for reading or for expensive work is taken at least
	// while other organizations have work in the process too: most of what a short request
	// takes of the processors is spent outside of its turn, in receiving, checking and
	// sending.
	LeastTurn = 3 * time.Millisecond
	// TurnBurst is how much of LeastTurn may be owed first: whoever asks for some dozens of
	// pages at once, or polls, has them as soon as they are ready.
	TurnBurst = 300 * time.Millisecond
	// longestPause is the longest that expensive work pauses.
	longestPause = 50 * time.Millisecond
	// longBody is the longest body, in bytes, of a write that mostly waits for storage:
	// one of a megabyte takes a processor for ten milliseconds until it is decoded.
	longBody = 64 << 10
)

// shares schedules the operations of one service among organizations, those that need no
// token aside. Expensive
// ones take as many processors as there are, and half of them for one
// organization. Other reads are shorter and wait for storage too, so more of them
// run at a time; but no more of one organization than half of the processors while
// another one reads as well: whatever more is begun only takes turns on the same
// processors, and makes the other one wait for all of it. Writes wait for storage most of
// the time, so that of one organization more run beside those of another; but few enough
// that they are no queue there, in which the other one's would stand behind all of them.
// A write whose body is long works as long as a read does, and is scheduled as one.
type shares struct{ expensive, reads, writes *fairshare.Scheduler }

// newShares returns nil when nothing in the table is to be scheduled.
func newShares(table api.Table) *shares {
	if !slices.ContainsFunc(table, scheduled) {
		return nil
	}
	processors := processors()
	return &shares{
		expensive: NewWork(),
		reads:     fairshare.New(readOptions(processors)),
		writes:    fairshare.New(writeOptions(processors)),
	}
}

func scheduled(o api.Operation) bool { return !o.Public() && o.Cost != api.Unscheduled }

// processors is how many may work at a time; one shares as two do.
func processors() int { return max(2, runtime.GOMAXPROCS(0)) }

// NewWork returns what schedules the expensive work of a process: as much at a time as it
// has processors, and half of that of one organization. Where that is one of two, what is
// left has the garbage collector and storage to do as well as the others: so there such work
// pauses for as long as it took, while others have work too.
func NewWork() *fairshare.Scheduler { return fairshare.New(workOptions(processors())) }

func workOptions(processors int) fairshare.Options {
	o := fairshare.Options{Slots: processors, Share: processors / 2, Waiting: expensiveWaiting, AloneAfter: aloneAfter, Least: LeastTurn, Burst: TurnBurst}
	if o.Share == 1 {
		o.Pause, o.Longest = 1, longestPause
	}
	return o
}

func readOptions(processors int) fairshare.Options {
	return fairshare.Options{Slots: 8 * processors, Share: processors / 2, Alone: 4 * processors, AloneAfter: aloneAfter, Least: LeastTurn, Burst: TurnBurst}
}

// writesAtOnce is more than the gateway has connections for writes to a service.
const writesAtOnce = 4096

func writeOptions(processors int) fairshare.Options {
	return fairshare.Options{Slots: writesAtOnce, Share: 4 * processors, Alone: writesAtOnce, AloneAfter: aloneAfter}
}

// begin waits until an operation may run, and returns what to call when it has
// ended.
func (s *shares) begin(c *fiber.Ctx, o api.Operation) (end func(), err error) {
	if s == nil || !scheduled(o) {
		return func() {}, nil
	}
	scheduler, org, expensive := s.reads, PrincipalOf(c).Org, s.expensive
	if work, ok := c.Locals(keyWork).(*fairshare.Scheduler); ok {
		expensive = work
	}
	if o.Cost == api.Light && c.Request().Header.ContentLength() <= longBody {
		scheduler = s.writes
	}
	if o.Cost.Expensive() {
		scheduler = expensive
		c.Append("RateLimit-Policy", fmt.Sprintf("%q;q=%d", expensivePolicy, expensiveWaiting))
	}
	if scheduler != expensive {
		expensive.Seen(org)
	}
	release, err := scheduler.Acquire(c.UserContext(), org, int(o.Cost))
	if o.Cost.Expensive() {
		c.Append("RateLimit", fmt.Sprintf("%q;r=%d;t=1", expensivePolicy, max(0, expensiveWaiting-scheduler.Waiting(org))))
	}
	switch {
	case errors.Is(err, fairshare.ErrFull):
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Second,
			Message: "Your organization has too many expensive requests waiting. Wait as long as Retry-After says."}
	case err != nil:
		return nil, TooLate(err)
	}
	turn := &share{scheduler, org, release}
	c.Locals(keyShare, turn)
	if o.Cost.Expensive() {
		c.SetUserContext(fairshare.Yielding(c.UserContext(), turn.yield))
	}
	return func() { turn.end() }, nil
}

// TooLate returns what to answer where a turn has not come in time.
func TooLate(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
		Message: "The requests of your organization take longer than this one could wait. Nothing was changed; please try again."}).Because(err)
}

// share is what a request has of its organization's share.
type share struct {
	scheduler *fairshare.Scheduler
	org       string
	end       func() // of the turn that it has
}

// yield, which fairshare.Yield calls under the context of an expensive request, ends its turn
// and waits for its next one, which goes before all that its organization has waiting: work that
// lasts calls it between its parts, so that others have theirs between them. While no other
// organization has work it keeps its turn.
func (s *share) yield(ctx context.Context) error {
	if s.scheduler.Alone(s.org) {
		return nil
	}
	end, err := s.scheduler.AcquireNext(ctx, s.org, 1, s.end)
	if err != nil {
		return TooLate(err)
	}
	s.end = end
	return nil
}

// Turns returns what waits for a turn of the request's organization, for an answer that is
// made while it is sent, a piece at a time: between two of them it has none, so that a
// client that takes it slowly keeps nobody from working. A turn must not wait for the client,
// or for another turn.
func Turns(c *fiber.Ctx) (turn func(context.Context) (end func(), err error)) {
	s, ok := c.Locals(keyShare).(*share)
	if !ok {
		return noTurn
	}
	return s.turn
}

// TurnsAhead is Turns for what is done ahead of what is sent, beside it: while no other
// organization has work in the process, it waits for nothing.
func TurnsAhead(c *fiber.Ctx) (turn func(context.Context) (end func(), err error)) {
	s, ok := c.Locals(keyShare).(*share)
	if !ok {
		return noTurn
	}
	return func(ctx context.Context) (end func(), err error) {
		if s.scheduler.Alone(s.org) {
			return noTurn(ctx)
		}
		return s.turn(ctx)
	}
}

func (s *share) turn(ctx context.Context) (end func(), err error) {
	return s.scheduler.AcquireFirst(ctx, s.org, 1)
}

func noTurn(context.Context) (end func(), err error) { return func() {}, nil }
