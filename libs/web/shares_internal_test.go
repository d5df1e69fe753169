package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestReadsOfOneOrganizationLeaveProcessorsFree verifies that while another organization reads
// too, one uses at most half of the processors.
func TestReadsOfOneOrganizationLeaveProcessorsFree(t *testing.T) {
	t.Parallel()
	for _, processors := range []int{2, 4, 16} {
		if n := mostBeside(t, fairshare.New(readOptions(processors))); n != processors/2 {
			t.Errorf("%d processors: %d reads of one organization run, want %d", processors, n, processors/2)
		}
	}
}

// TestWritesOfOneOrganizationAreFew verifies that while another organization writes too, one
// has only a few writes per processor in flight.
func TestWritesOfOneOrganizationAreFew(t *testing.T) {
	t.Parallel()
	for _, processors := range []int{2, 4, 16} {
		if n := mostBeside(t, fairshare.New(writeOptions(processors))); n != 4*processors {
			t.Errorf("%d processors: %d writes of one organization are under way, want %d", processors, n, 4*processors)
		}
	}
	alone := fairshare.New(writeOptions(2))
	for n := range writesAtOnce {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if _, err := alone.Acquire(ctx, "alone", 1); err != nil {
			t.Fatalf("of an organization alone %d are under way: %v", n, err)
		}
		cancel()
	}
}

// TestLongWritesTakeTurnsAsReads verifies that writes with long bodies share the slots of
// reads, and short ones do not.
func TestLongWritesTakeTurnsAsReads(t *testing.T) {
	t.Parallel()
	write := api.Operation{ID: "write", Method: http.MethodPost, Path: "/write", Least: identity.User, Reach: api.Organization}
	s := newShares(api.Table{write})
	for _, scheduler := range []*fairshare.Scheduler{s.reads, s.writes} {
		end, err := scheduler.Acquire(t.Context(), "quiet", 1)
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
	const asked = 100
	begun, end := make(chan int, 2*asked), make(chan struct{})
	app := fiber.New()
	app.Post(write.Path, func(c *fiber.Ctx) error {
		setPrincipal(c, identity.Principal{Org: "greedy"})
		done, err := s.begin(c, write)
		if err != nil {
			return err
		}
		defer done()
		begun <- len(c.Body())
		<-end
		return nil
	})
	var all sync.WaitGroup
	send := func(length int, chunked bool) {
		all.Go(func() {
			rc := &fasthttp.RequestCtx{}
			rc.Request.Header.SetMethod(http.MethodPost)
			rc.Request.SetRequestURI(write.Path)
			rc.Request.SetBodyRaw(make([]byte, length))
			rc.Request.Header.SetContentLength(length)
			if chunked { // its length is unknown
				rc.Request.Header.SetContentLength(-1)
			}
			app.Handler()(rc)
			if status := rc.Response.StatusCode(); status != http.StatusOK {
				t.Errorf("%d: %s", status, rc.Response.Body())
			}
		})
	}
	for n := range asked {
		send(longBody+1, n%2 == 0)
	}
	share := readOptions(processors()).Share
	testkit.Eventually(t, 10*time.Second, func() error {
		if n := s.reads.Waiting("greedy"); n != asked-share {
			return fmt.Errorf("%d of %d long writes wait, want all but %d", n, asked, share)
		}
		return nil
	})
	for range share {
		<-begun
	}
	send(longBody, false)
	if n := <-begun; n != longBody {
		t.Errorf("a write of %d bytes began, want the short one", n)
	}
	close(end)
	all.Wait()
}

// mostBeside returns how much work of one organization runs at a time after another one has
// been active, whose work must start at once.
func mostBeside(t *testing.T, s *fairshare.Scheduler) (most int) {
	t.Helper()
	begin := func(org string) (begun bool, end func()) {
		t.Helper()
		ended := make(chan func(), 1)
		go func() {
			if end, err := s.Acquire(t.Context(), org, 1); err == nil {
				ended <- end
			}
		}()
		testkit.Eventually(t, 10*time.Second, func() error {
			select {
			case end = <-ended:
				begun = true
			default:
				if s.Waiting(org) == 0 {
					return errors.New("it neither runs nor waits")
				}
			}
			return nil
		})
		return begun, end
	}
	ok, end := begin("quiet")
	if !ok {
		t.Fatal("the first of all waits")
	}
	end()
	for {
		if ok, _ := begin("greedy"); !ok {
			break
		}
		most++
	}
	if ok, _ := begin("quiet"); !ok {
		t.Error("what another organization asks for waits")
	}
	return most
}

// TestExpensiveWorkPausesOnTwoProcessors verifies that expensive work pauses where an
// organization's share is one of two processors.
func TestExpensiveWorkPausesOnTwoProcessors(t *testing.T) {
	t.Parallel()
	for processors, pauses := range map[int]bool{2: true, 3: true, 4: false, 16: false} {
		if o := workOptions(processors); (o.Pause > 0 && o.Longest > 0) != pauses {
			t.Errorf("%d processors: a pause of %v of the work, %v at most", processors, o.Pause, o.Longest)
		}
	}
}
