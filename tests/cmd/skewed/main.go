// Command skewed runs a program of the product with a clock that can be set wrong: an
// hour ahead after SIGUSR1, an hour behind after SIGUSR2, right again after SIGHUP.
//
//	skewed PROGRAM [ARGUMENT…]
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/gateway"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
)

var programs = map[string]func() app.Program{
	"auth": auth.Program, "calculation": calculation.Program, "gateway": gateway.Program, "records": records.Program, "review": review.Program,
}

var wrong = map[os.Signal]time.Duration{syscall.SIGUSR1: time.Hour, syscall.SIGUSR2: -time.Hour, syscall.SIGHUP: 0}

func main() {
	if err := run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "skewed:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		return errors.New("the first argument is no program")
	}
	var ahead atomic.Int64
	told := make(chan os.Signal, 1)
	for s := range wrong {
		signal.Notify(told, s)
	}
	go func() {
		for s := range told {
			ahead.Store(int64(wrong[s]))
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return programs[os.Args[1]]().Run(ctx, app.Env{
		Args: os.Args[2:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "skewed",
		// A wall clock, without a monotonic reading.
		Now: func() time.Time { return time.Now().Round(0).Add(time.Duration(ahead.Load())) },
	})
}
