// Package settings describes and reads the settings of a program: each is
// described once, with its name, its default and its meaning, from which
// its flag, its environment variable, its file variant, the
// help and the reference in docs/configuration.md are derived.
//
// A struct of settings implements Config: its method Describe registers each
// field with the Set. Structs compose: the struct of a program describes those
// of its parts. A setting described by several parts is one setting shared by
// all of them.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// prefix is the prefix of all environment variables of the product.
const prefix = "ECF_"

// Config is a struct of settings.
type Config interface {
	// Describe registers the settings of the struct.
	Describe(s *Set)
}

// Setting is the description of one setting.
type Setting struct {
	// Env is the name of the environment variable; empty: there is only a flag.
	Env string
	// Flag is the name of the flag, without dashes.
	Flag string
	// Default is the default value.
	Default string
	// Usage describes the setting, as a sentence fragment.
	Usage string
	// Secret settings are masked when shown, and may be in a file named by the variable Env with the suffix _FILE.
	Secret bool
	// Switch settings need no value as a flag: --demo is --demo=true.
	Switch bool
	// Required settings must have a value.
	Required bool

	note  string
	parse []func(value string) error
	show  func() string
}

// name returns the name of the setting in messages.
func (s *Setting) name() string {
	if s.Env == "" {
		return "--" + s.Flag
	}
	return s.Env
}

// Set is the settings of one program.
type Set struct {
	list  []*Setting
	after []func() error
	// Positional reports whether the program accepts arguments in addition to flags.
	Positional bool
	// Args are the arguments after the flags.
	Args []string
}

// Of returns the settings that the configurations describe, in that order.
func Of(configs ...Config) *Set {
	s := &Set{}
	for _, c := range configs {
		c.Describe(s)
	}
	return s
}

// All returns the descriptions in their order.
func (s *Set) All() []Setting {
	list := make([]Setting, len(s.list))
	for i, e := range s.list {
		list[i] = *e
	}
	return list
}

// After registers a function to call when all settings have been read: for a default that depends on another setting,
// or a condition on two of them. Its error must name the settings.
func (s *Set) After(do func() error) { s.after = append(s.after, do) }

// Env registers a setting with an environment variable. Its flag is named after the variable: that of ECF_DATA_DIR is
// --data-dir. parse sets the field or returns a description of valid values; show returns its value in the form of
// the setting.
func (s *Set) Env(env, def, usage string, parse func(string) error, show func() string) *Setting {
	return s.add(&Setting{
		Env: env, Flag: strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(env, prefix)), "_", "-"),
		Default: def, Usage: usage, parse: []func(string) error{parse}, show: show,
	})
}

// Flag registers a setting for the command line only.
func (s *Set) Flag(name, def, usage string, parse func(string) error, show func() string) *Setting {
	return s.add(&Setting{Flag: name, Default: def, Usage: usage, parse: []func(string) error{parse}, show: show})
}

// add merges a setting with an existing one of the same name. Two descriptions of one setting must agree, or the
// reference would be wrong for one of them.
func (s *Set) add(e *Setting) *Setting {
	at := slices.IndexFunc(s.list, func(o *Setting) bool { return o.Flag == e.Flag })
	if at < 0 {
		s.list = append(s.list, e)
		return e
	}
	first := s.list[at]
	if first.Env != e.Env || first.Default != e.Default || first.Usage != e.Usage {
		panic(fmt.Sprintf("settings: --%s is described twice, as %q (%s) and as %q (%s)", e.Flag, first.Usage, first.Default, e.Usage, e.Default)) //nolint:forbidigo // two descriptions in one program are a mistake of the programmer, found at every start
	}
	first.parse = append(first.parse, e.parse...)
	return first
}

// Hide marks the setting as a secret.
func (s *Setting) Hide() *Setting {
	s.Secret = true
	return s
}

// Require marks the setting as one that must have a value.
func (s *Setting) Require() *Setting {
	s.Required = true
	return s
}

// From allows a setting of the command line to be set by an environment variable as well, since every user of the
// machine can read a command line.
func (s *Setting) From(env string) *Setting {
	s.Env = env
	return s
}

// Default replaces the default of a setting that is described already: of one
// struct several programs may need different ones.
func (s *Set) Default(env, value string) {
	for _, e := range s.list {
		if e.Env == env {
			e.Default = value
		}
	}
}

// Load reads the settings from the environment, then from flags, which take precedence. A
// secret may also be given by a file: ECF_MONGODB_URI_FILE names one. Everything
// is validated, and the error names every invalid setting, one per line,
// without the value of a secret. An empty value counts as unset. If the
// flags request help the error is flag.ErrHelp.
func (s *Set) Load(args []string, getenv func(string) string) error {
	flags, errs := s.parseFlags(args)
	if slices.Contains(errs, flag.ErrHelp) {
		return flag.ErrHelp
	}
	for _, e := range s.list {
		value, name, err := e.value(flags, getenv)
		if err == nil && e.Required && value == "" {
			err = errors.New("is required: " + e.usage())
		}
		if err == nil {
			err = e.set(value)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %w", name, err))
		}
	}
	if len(s.Args) > 0 && !s.Positional {
		errs = append(errs, fmt.Errorf("the argument %q is not understood", s.Args[0]))
	}
	if len(errs) == 0 {
		for _, do := range s.after {
			if err := do(); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// value finds the value of a setting: flag, environment, file, default.
func (s *Setting) value(flags map[string]string, getenv func(string) string) (value, name string, err error) {
	if v, ok := flags[s.Flag]; ok {
		return v, "--" + s.Flag, nil
	}
	if s.Env == "" {
		return s.Default, s.name(), nil
	}
	v, file := getenv(s.Env), ""
	if s.Secret {
		file = getenv(s.Env + fileSuffix)
	}
	switch {
	case v != "" && file != "":
		return "", s.Env, fmt.Errorf("and %s are both set", s.Env+fileSuffix)
	case file != "":
		content, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return "", s.Env + fileSuffix, fmt.Errorf("names a file that cannot be read: %w", err)
		}
		if v := strings.TrimRight(string(content), "\r\n"); v != "" {
			return v, s.Env + fileSuffix, nil
		}
		// A secret that was not filled in must not count as absent.
		return "", s.Env + fileSuffix, errors.New("names a file that is empty")
	case v != "":
		return v, s.Env, nil
	}
	return s.Default, s.Env, nil
}

// fileSuffix ends the name of the variable that names a file with a secret.
const fileSuffix = "_FILE"

func (s *Setting) set(value string) error {
	if value == "" {
		value = s.Default
	}
	for _, parse := range s.parse {
		if err := parse(value); err != nil {
			return err
		}
	}
	return nil
}

// parseFlags reads --name value, --name=value and, for switches, --name. One dash is accepted too. Anything after --,
// or that is not a flag, becomes Args.
func (s *Set) parseFlags(args []string) (flags map[string]string, errs []error) {
	flags, s.Args = map[string]string{}, nil
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			s.Args = append(s.Args, args[i+1:]...)
			return flags, errs
		}
		if len(arg) < 2 || arg[0] != '-' {
			s.Args = append(s.Args, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		at := slices.IndexFunc(s.list, func(e *Setting) bool { return e.Flag == name })
		switch {
		case name == "h" || name == "help":
			errs = append(errs, flag.ErrHelp)
			continue
		case at < 0:
			errs = append(errs, fmt.Errorf("--%s is not a setting%s", name, s.similarFlag(name)))
			// The value of an unknown flag must not be mistaken for an argument.
			if !given && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
			continue
		case given:
		case s.list[at].Switch:
			value = "true"
		case i+1 < len(args):
			i++
			value = args[i]
		default:
			errs = append(errs, fmt.Errorf("--%s has no value", name))
			continue
		}
		if _, twice := flags[name]; twice {
			errs = append(errs, fmt.Errorf("--%s is given twice", name))
		}
		flags[name] = value
	}
	return flags, errs
}

// Effective returns every setting as NAME=value in the order of the
// descriptions, secrets masked.
func (s *Set) Effective() []string {
	lines := make([]string, len(s.list))
	for i, e := range s.list {
		value := e.show()
		if e.Secret && value != "" {
			value = mask(value)
		}
		lines[i] = e.name() + "=" + value
	}
	return lines
}

// mask reduces a secret address to its scheme and host.
func mask(secret string) string {
	u, err := url.Parse(secret)
	if err != nil || u.Host == "" {
		return "****"
	}
	masked := u.Scheme + "://"
	if u.User != nil {
		masked += "****@"
	}
	return masked + u.Host
}

// Value returns the effective value of the setting with an environment variable; empty if there is no such setting.
func (s *Set) Value(env string) string {
	for _, e := range s.list {
		if e.Env == env {
			return e.show()
		}
	}
	return ""
}

// Argument requires one argument in addition to flags and stores it in the field. The error for none, or for more, is
// missing.
func (s *Set) Argument(field *string, missing string) {
	s.Positional = true
	s.After(func() error {
		if len(s.Args) != 1 {
			return errors.New(missing)
		}
		*field = s.Args[0]
		return nil
	})
}

// Note adds to the description of the setting with an environment variable for one program.
func (s *Set) Note(env, note string) {
	for _, e := range s.list {
		if e.Env == env {
			e.note = note
		}
	}
}
