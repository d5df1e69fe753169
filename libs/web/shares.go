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
	// expensiveAllowance is what the expensive requests of one organization to a process may
	// cost (api.Cost) within expensiveWithin; what is spent comes back evenly. More is refused,
	// while other organizations have work there. It is 25 exports a second without an end.
	expensiveAllowance = 6000
	expensiveWithin    = time.Minute
	// expensiveWaiting is what those of one organization that wait at a time may cost; more is
	// refused.
	expensiveWaiting      = 128
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"
	// expensivePolicy and waitingPolicy are the names of these limits in the RateLimit fields.
	expensivePolicy = "expensive"
	waitingPolicy   = "expensive-waiting"
	// aloneAfter is how long no other organization must have read anything until one
	// may take more than its share of the places for reading.
	aloneAfter = time.Minute
	// LeastTurn is how long a place for reading or for expensive work is taken at least
	// while other organizations have work in the process too: most of what a short request
	// takes of the processors is spent outside of its turn, in receiving, checking and
	// sending.
	LeastTurn = 3 * time.Millisecond
	// LeastTurnTimes bounds LeastTurn at the gateway by so many times what the turn took: an answer that is
	// remembered is sent in little more than a twentieth of a millisecond.
	LeastTurnTimes = 20
	// TurnBurst is how much of LeastTurn may be owed first: whoever asks for some dozens of
	// pages at once, or polls, has them as soon as they are ready.
	TurnBurst = 300 * time.Millisecond
	// longestPause is the longest that expensive work pauses.
	longestPause = 50 * time.Millisecond
	// longBody is the longest body, in bytes, of a write that mostly waits for storage. What
	// is read of a longer one takes longer: a record of 140 misspelled places some milliseconds.
	longBody = 8 << 10
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
	o := fairshare.Options{Slots: processors, Share: processors / 2, Waiting: expensiveWaiting, AloneAfter: aloneAfter,
		Least: LeastTurn, Burst: TurnBurst, Allowance: expensiveAllowance, Within: expensiveWithin}
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
	turn := &share{shares: s, operation: o, org: PrincipalOf(c).Org}
	if o.Cost.Expensive() {
		err = turn.expensive(c, o.Cost)
	} else {
		s.work(c).Seen(turn.org)
		scheduler := s.reads
		if o.Cost == api.Light && bodyLength(c) <= longBody {
			scheduler = s.writes
		}
		err = turn.begin(c, scheduler, o.Cost)
	}
	if err != nil {
		return nil, err
	}
	c.Locals(keyShare, turn)
	return func() { turn.ended(c) }, nil
}

// work returns what schedules the expensive work of the process that a request is of.
func (s *shares) work(c *fiber.Ctx) *fairshare.Scheduler {
	if work, ok := c.Locals(keyWork).(*fairshare.Scheduler); ok {
		return work
	}
	return s.expensive
}

// bodyLength returns how long a body is: one that did not tell was received before.
func bodyLength(c *fiber.Ctx) int {
	announced := c.Request().Header.ContentLength()
	if c.Request().IsBodyStream() {
		return announced
	}
	return max(announced, len(c.Request().Body()))
}

// BeginRehearsal ends the turn that the request has as an ordinary write, and waits for one of
// expensive work: for a rehearsal that reads as much as its operation declares
// (api.Operation.RehearsalCost). It is announced and refused as expensive operations are, and what is
// done after it has to yield as theirs does.
func BeginRehearsal(c *fiber.Ctx) error {
	turn, ok := c.Locals(keyShare).(*share)
	if !ok {
		return nil // nothing is scheduled
	}
	cost := turn.operation.RehearsalCost
	if !cost.Expensive() {
		return fmt.Errorf("operation %s declares no cost of its rehearsal", turn.operation.ID)
	}
	turn.end()
	turn.end = func() {}
	return turn.expensive(c, cost)
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
	shares    *shares
	operation api.Operation
	org       string
	scheduler *fairshare.Scheduler
	end       func() // of the turn that it has
	spent     int    // of the allowance
}

// begin waits for a turn.
func (s *share) begin(c *fiber.Ctx, scheduler *fairshare.Scheduler, cost api.Cost) error {
	end, err := scheduler.Acquire(c.UserContext(), s.org, int(cost))
	switch {
	case errors.Is(err, fairshare.ErrFull):
		return tooMuch(time.Second)
	case err != nil:
		return TooLate(err)
	}
	s.scheduler, s.end = scheduler, end
	return nil
}

// expensive waits for a turn of work that may be refused for its cost, and tells what is left.
func (s *share) expensive(c *fiber.Ctx, cost api.Cost) error {
	work := s.shares.work(c)
	c.Append(headerRateLimitPolicy, fmt.Sprintf("%q;q=%d;w=%d, %q;q=%d", expensivePolicy, expensiveAllowance, int(expensiveWithin.Seconds()), waitingPolicy, expensiveWaiting))
	work.Seen(s.org)
	allowance, ok := work.Spend(s.org, int(cost))
	var err error
	if ok {
		if err = s.begin(c, work, cost); err != nil {
			work.Refund(s.org, int(cost)) // nothing was done
		}
	} else {
		err = tooMuch(allowance.Wait)
	}
	c.Append(headerRateLimit, fmt.Sprintf("%q;r=%d;t=%d, %q;r=%d", expensivePolicy, allowance.Left, seconds(allowance.Whole), waitingPolicy, work.Room(s.org)))
	if err != nil {
		return err
	}
	s.spent = int(cost)
	c.SetUserContext(fairshare.Yielding(c.UserContext(), s.yield))
	return nil
}

// ended releases the turn, and refunds what was paid for an answer that the client has.
func (s *share) ended(c *fiber.Ctx) {
	s.end()
	if s.spent > 0 && c.Response().StatusCode() == fiber.StatusNotModified {
		s.scheduler.Refund(s.org, s.spent)
	}
}

// seconds rounds a time up.
func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// tooMuch is the refusal of an organization's expensive request.
func tooMuch(wait time.Duration) error {
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Duration(seconds(wait)) * time.Second,
		Message: "Your organization has asked for too much that is expensive. Wait as long as Retry-After says."}
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
