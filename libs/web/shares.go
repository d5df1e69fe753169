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
	// expensiveAllowance is the total cost (api.Cost) of the expensive requests to a
	// process that one organization may make within expensiveWithin; it is replenished
	// evenly. More is rejected while other organizations are active. It allows 25
	// exports a second continuously.
	expensiveAllowance = 6000
	expensiveWithin    = time.Minute
	// expensiveWaiting is the total cost of the waiting requests of one organization;
	// more is rejected.
	expensiveWaiting      = 128
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"
	// expensivePolicy and waitingPolicy are the names of these limits in the RateLimit
	// fields.
	expensivePolicy = "expensive"
	waitingPolicy   = "expensive-waiting"
	// aloneAfter is how long no other organization must have read anything until one
	// may exceed its share of the read slots.
	aloneAfter = time.Minute
	// MinSlotTime is the minimum time for which a slot for reading or expensive work
	// counts as used while other organizations are active: most of the CPU time of a
	// short request is spent outside its slot, in receiving, checking and sending (ADR
	// 0088).
	MinSlotTime = 3 * time.Millisecond
	// MinSlotTimes limits MinSlotTime at the gateway to this multiple of the actual
	// time: a cached response is sent in little more than 0.05 ms.
	MinSlotTimes = 20
	// SlotBurst is how much of MinSlotTime may accumulate before it has an effect, so
	// that a client that requests some dozens of pages at once, or polls, is not
	// delayed.
	SlotBurst = 300 * time.Millisecond
	// longestPause is the longest pause of expensive work.
	longestPause = 50 * time.Millisecond
	// longBody is the longest body, in bytes, of a write that mostly waits for storage.
	// Longer ones take CPU time: a record of 140 misspelled places takes some
	// milliseconds.
	longBody = 8 << 10
)

// shares schedules the operations of one service among organizations, except those that
// need no token. Expensive ones have as many slots as processors, and one organization
// half of them. Other reads are shorter and also wait for storage, so they have more
// slots; but while another organization reads too, one organization has at most half as
// many as processors: further ones would only compete for the same processors and delay
// the other organization. Writes mostly wait for storage, so one organization has more
// slots beside another, but few enough that they form no queue in front of the other's.
// A write with a long body takes as much CPU time as a read, and is scheduled as one.
type shares struct{ expensive, reads, writes *fairshare.Scheduler }

// newShares returns nil if the table contains nothing to schedule.
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

// processors returns the number of processors; a single one counts as two.
func processors() int { return max(2, runtime.GOMAXPROCS(0)) }

// NewWork returns the scheduler of the expensive work of a process: as many slots as
// processors, half of them for one organization. On two processors, the garbage
// collector and storage need the other one too; so there such work pauses for as long
// as it took, while others are active.
func NewWork() *fairshare.Scheduler { return fairshare.New(workOptions(processors())) }

func workOptions(processors int) fairshare.Options {
	o := fairshare.Options{Slots: processors, Share: processors / 2, Waiting: expensiveWaiting, AloneAfter: aloneAfter,
		Least: MinSlotTime, Burst: SlotBurst, Allowance: expensiveAllowance, Within: expensiveWithin}
	if o.Share == 1 {
		o.Pause, o.Longest = 1, longestPause
	}
	return o
}

func readOptions(processors int) fairshare.Options {
	return fairshare.Options{Slots: 8 * processors, Share: processors / 2, Alone: 4 * processors, AloneAfter: aloneAfter, Least: MinSlotTime, Burst: SlotBurst}
}

// writesAtOnce exceeds the number of the gateway's connections for writes to a service.
const writesAtOnce = 4096

func writeOptions(processors int) fairshare.Options {
	return fairshare.Options{Slots: writesAtOnce, Share: 4 * processors, Alone: writesAtOnce, AloneAfter: aloneAfter}
}

// begin waits for a slot for an operation, and returns the function that releases it.
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

// work returns the scheduler of expensive work that applies to a request.
func (s *shares) work(c *fiber.Ctx) *fairshare.Scheduler {
	if work, ok := c.Locals(keyWork).(*fairshare.Scheduler); ok {
		return work
	}
	return s.expensive
}

// bodyLength returns the length of the body; one of unknown length has been received
// already.
func bodyLength(c *fiber.Ctx) int {
	announced := c.Request().Header.ContentLength()
	if c.Request().IsBodyStream() {
		return announced
	}
	return max(announced, len(c.Request().Body()))
}

// BeginRehearsal releases the slot that the request has as an ordinary write, and
// acquires one of expensive work: for a dry run that reads as much as its operation
// declares (api.Operation.RehearsalCost). It is limited and rejected like expensive
// operations, and must yield as they do.
func BeginRehearsal(c *fiber.Ctx) error {
	turn, ok := c.Locals(keyShare).(*share)
	if !ok {
		return nil // no scheduling
	}
	cost := turn.operation.RehearsalCost
	if !cost.Expensive() {
		return fmt.Errorf("operation %s declares no cost of its rehearsal", turn.operation.ID)
	}
	turn.end()
	turn.end = func() {}
	return turn.expensive(c, cost)
}

// TooLate returns the error to answer if no slot became available in time.
func TooLate(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
		Message: "Other requests of your organization took too long for this one to start in time. Nothing was changed; please try again."}).Because(err)
}

// share is the slot and the allowance used by a request.
type share struct {
	shares    *shares
	operation api.Operation
	org       string
	scheduler *fairshare.Scheduler
	end       func() // releases the slot, if it has one
	spent     int    // from the allowance
}

// begin acquires a slot.
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

// expensive acquires a slot of work that may be rejected for its cost, and sets the
// rate limit fields.
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

// ended releases the slot, and refunds the cost of a 304 response.
func (s *share) ended(c *fiber.Ctx) {
	s.end()
	if s.spent > 0 && c.Response().StatusCode() == fiber.StatusNotModified {
		s.scheduler.Refund(s.org, s.spent)
	}
}

// seconds rounds a duration up to seconds, at least 1.
func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// tooMuch is the error of a rejected expensive request.
func tooMuch(wait time.Duration) error {
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Duration(seconds(wait)) * time.Second,
		Message: "Your organization has sent too many expensive requests. Please wait for the time in Retry-After."}
}

// yield, which fairshare.Yield calls under the context of an expensive request,
// releases the slot and acquires the next one, ahead of all that its organization has
// waiting. Long work calls it between its parts, so that others run in between. While
// no other organization has work it keeps the slot.
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

// SlotFunc returns a function that acquires a slot of the request's organization, for a
// response that is generated piece by piece while it is sent. It holds no slot between
// pieces, so a slow client blocks nobody. A slot must not be held while waiting for the
// client or for another slot.
func SlotFunc(c *fiber.Ctx) (turn func(context.Context) (end func(), err error)) {
	s, ok := c.Locals(keyShare).(*share)
	if !ok {
		return noTurn
	}
	return s.turn
}

// SlotFuncAhead is SlotFunc for work ahead of what is being sent, concurrent with it: while
// no other organization has work in the process, it does not wait.
func SlotFuncAhead(c *fiber.Ctx) (turn func(context.Context) (end func(), err error)) {
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
