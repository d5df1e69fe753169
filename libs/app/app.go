// Package app runs the programs of the product: it reads the settings of a
// command, sets up logging and telemetry, handles termination signals, and runs
// services: it serves them, reports their readiness, and shuts them down
// gracefully.
package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Env is the environment of a program; tests provide their own.
type Env struct {
	// Args is the command line without the program's name.
	Args   []string
	Getenv func(string) string
	// Environ is the whole environment as NAME=value, to find unknown
	// variables; nil: no check.
	Environ []string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Logger is where the program logs. When it is nil a log of JSON lines on
	// Stderr is opened, and the telemetry with it.
	Logger *slog.Logger
	// Version names the build: a version, or the revision it was built from.
	Version string
	// Metrics is the metrics handler, nil if there is no debug address.
	Metrics http.Handler
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Command is one command of a program.
type Command struct {
	// Name is the name of the command, "org create"; empty: the default command.
	Name string
	// Arguments shows the command's arguments in the help, "BUNDLE.json".
	Arguments string
	// Summary describes the command in a line.
	Summary string

	open func() (settings.Config, func(ctx context.Context, env Env) error)
	// quiet commands answer and end: they open neither log nor telemetry.
	quiet bool
}

// NewCommand returns a command with settings, a struct C, and a function that runs it.
func NewCommand[C any, P interface {
	*C
	settings.Config
}](name, summary string, run func(ctx context.Context, env Env, c *C) error,
) Command {
	return Command{Name: name, Summary: summary, open: func() (settings.Config, func(context.Context, Env) error) {
		c := new(C)
		return P(c), func(ctx context.Context, env Env) error { return run(ctx, env, c) }
	}}
}

// Taking returns the command with a description of its arguments for the help.
func (c Command) Taking(arguments string) Command {
	c.Arguments = arguments
	return c
}

// Settings returns the descriptions of the command's settings.
func (c Command) Settings() *settings.Set {
	config, _ := c.open()
	return settings.Of(config)
}

// Program is a program: a service has one command without a name.
type Program struct {
	Name     string
	Summary  string
	Commands []Command
	// Notes end the help.
	Notes string
}

// serviceNamer is implemented by settings that determine the name of the process in logs and telemetry: the worker
// has its own.
type serviceNamer interface{ ServiceName() string }

// The exit codes of Main.
const (
	exitOK       = 0
	exitFailed   = 1
	exitWrongUse = 2
)

// wrongUse is the error of a program that was called with a wrong command, argument or setting.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }

// flushLimit bounds how long the end of a program waits for its telemetry.
const flushLimit = 5 * time.Second

// Main runs the program with the arguments and the environment of the process
// and returns the exit code: 0 when the command returned nil, 2 when the command,
// an argument or a setting is wrong, so that nothing was begun, and else 1. Then
// the error is on standard error, one line for each thing that is wrong. SIGINT or
// SIGTERM end the command's context, which is the good end of a server only; a
// second one kills. With the argument healthcheck it asks the running program instead;
// see Healthcheck.
//
//	func main() { os.Exit(records.Program().Main()) }
func (p Program) Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the default action is back, so that a program
	// that hangs in its shutdown can still be ended by a second one.
	context.AfterFunc(ctx, stop)
	if os.Getenv("GOGC") == "" {
		paceHeap()
	}
	return p.exitCode(ctx, Env{
		Args: os.Args[1:], Getenv: os.Getenv, Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: buildVersion(),
	})
}

func (p Program) exitCode(ctx context.Context, env Env) int {
	err := p.Run(ctx, env)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = fmt.Errorf("ended by a signal before it was finished: %w", err)
	}
	for line := range strings.SplitSeq(strings.TrimRight(telemetry.Redact(err.Error()), "\n"), "\n") {
		_, _ = fmt.Fprintf(env.Stderr, "%s: %s\n", p.Name, line)
	}
	if _, wrong := errors.AsType[wrongUse](err); wrong {
		return exitWrongUse
	}
	return exitFailed
}

// Run runs the command that the arguments name: it reads the command's settings
// and, unless env has a logger, opens the log and the telemetry before, and
// flushes the telemetry after.
func (p Program) Run(ctx context.Context, env Env) error {
	if env.Now == nil {
		env.Now = time.Now
	}
	c, args, err := p.find(env.Args)
	if err != nil {
		return wrongUse{err}
	}
	if c == nil { // help was requested
		_, err := io.WriteString(env.Stdout, p.help(env.Version))
		return err
	}
	config, run := c.open()
	set := settings.Of(config)
	if len(args) == 1 && slices.Contains([]string{"-h", "--help"}, args[0]) {
		_, err := io.WriteString(env.Stdout, p.commandHelp(*c, set, env.Version))
		return err
	}
	err = set.Load(args, env.Getenv)
	if errors.Is(err, flag.ErrHelp) {
		_, err := io.WriteString(env.Stdout, p.commandHelp(*c, set, env.Version))
		return err
	}
	errs := append([]error{err}, set.CheckNames(env.Environ)...)
	if !c.quiet {
		errs = append(errs, telemetry.CheckVariables(env.Environ)...)
	}
	if err := errors.Join(errs...); err != nil {
		if c.Name == healthcheckCommand { // container runtimes reserve the code 2
			return err
		}
		return wrongUse{err}
	}
	if c.quiet {
		return run(ctx, env)
	}
	if env.Logger == nil {
		name := p.Name
		if n, ok := config.(serviceNamer); ok {
			name = n.ServiceName()
		}
		flush, err := env.observe(ctx, name, set)
		if err != nil {
			return err
		}
		defer flush()
	}
	env.Logger.DebugContext(ctx, "settings", "settings", set.Effective())
	return run(ctx, env)
}

// find returns the command of the arguments, with the longest matching name, and the arguments after its name; nil if
// help is requested.
func (p Program) find(args []string) (*Command, []string, error) {
	if len(args) > 0 && args[0] == healthcheckCommand {
		c := NewCommand(healthcheckCommand, "ask the running server whether it is ready", healthcheck)
		c.quiet = true
		return &c, args[1:], nil
	}
	if len(args) > 0 && args[0] == versionCommand {
		c := NewCommand(versionCommand, "print the version", printVersion)
		c.quiet = true
		return &c, args[1:], nil
	}
	var found *Command
	words := 0
	for i, c := range p.Commands {
		name := strings.Fields(c.Name)
		if len(args) >= len(name) && slices.Equal(args[:len(name)], name) && (found == nil || len(name) > words) {
			found, words = &p.Commands[i], len(name)
		}
	}
	switch {
	case found != nil:
		return found, args[words:], nil
	case len(args) == 0 || slices.Contains([]string{"help", "-h", "--help"}, args[0]):
		return nil, nil, nil
	}
	return nil, nil, p.noSuchCommand(args)
}

// noSuchCommand names the words that are no command, without the settings after them, and the commands that begin with the
// first of them.
func (p Program) noSuchCommand(args []string) error {
	if first := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }); first > 0 {
		args = args[:first]
	}
	var like []string
	for _, c := range p.Commands {
		if strings.HasPrefix(c.Name, args[0]+" ") {
			like = append(like, c.Name)
		}
	}
	if len(like) > 0 {
		return fmt.Errorf("there is no command %q; there are %s", strings.Join(args, " "), strings.Join(like, ", "))
	}
	return fmt.Errorf("there is no command %q; %s help lists them", strings.Join(args, " "), p.Name)
}

const versionCommand = "version"

// none are the settings of a command without any.
type none struct{}

// Describe implements settings.Config.
func (*none) Describe(*settings.Set) {}

func printVersion(_ context.Context, env Env, _ *none) error {
	_, err := fmt.Fprintln(env.Stdout, env.Version)
	return err
}

// buildVersion returns the version set by the linker, that of the main module, or the revision it was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	at := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if at < 0 {
		return "devel"
	}
	revision := info.Settings[at].Value
	return revision[:min(len(revision), 12)]
}
