package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Text registers a text. check, if set, returns a description of valid values.
func (s *Set) Text(field *string, env, def, usage string, check func(string) error) *Setting {
	return s.Env(env, def, usage, textOf(field, check), func() string { return *field })
}

// TextFlag registers a text for the command line only.
func (s *Set) TextFlag(field *string, name, def, usage string, check func(string) error) *Setting {
	return s.Flag(name, def, usage, textOf(field, check), func() string { return *field })
}

func textOf(field *string, check func(string) error) func(string) error {
	return func(v string) error {
		if v != "" && check != nil {
			if err := check(v); err != nil {
				return err
			}
		}
		*field = v
		return nil
	}
}

// Bool registers a switch.
func (s *Set) Bool(field *bool, env, def, usage string) *Setting {
	e := s.Env(env, def, usage, boolOf(field), func() string { return strconv.FormatBool(*field) })
	e.Switch = true
	return e
}

// BoolFlag registers a switch for the command line only.
func (s *Set) BoolFlag(field *bool, name, usage string) *Setting {
	e := s.Flag(name, "false", usage, boolOf(field), func() string { return strconv.FormatBool(*field) })
	e.Switch = true
	return e
}

func boolOf(field *bool) func(string) error {
	return func(v string) error {
		switch strings.ToLower(v) {
		case "1", "true", "on", "yes":
			*field = true
		case "0", "false", "off", "no":
			*field = false
		default:
			return errors.New("must be true or false")
		}
		return nil
	}
}

// Duration registers a duration of at least least.
func (s *Set) Duration(field *time.Duration, env, def, usage string, least time.Duration) *Setting {
	return s.Env(env, def, usage, func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil {
			return errors.New("must be a duration, such as 90s, 15m or 720h")
		}
		if d < least {
			return fmt.Errorf("must be %s or more", least)
		}
		*field = d
		return nil
	}, func() string { return shortDuration(*field) })
}

// Number registers a whole number from least to most.
func (s *Set) Number(field *int, env, def, usage string, least, most int) *Setting {
	return s.Env(env, def, usage, func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be a number from %d to %d", least, most)
		}
		*field = n
		return nil
	}, func() string { return strconv.Itoa(*field) })
}

// URL registers the address of a service; a slash at its end is removed.
func (s *Set) URL(field *string, env, def, usage string) *Setting {
	return s.Env(env, def, usage, func(v string) error {
		if v != "" {
			if err := CheckHTTP(v); err != nil {
				return err
			}
		}
		*field = strings.TrimRight(v, "/")
		return nil
	}, func() string { return *field })
}

// Parsed registers a setting of another type.
func Parsed[T any](s *Set, field *T, env, def, usage string, parse func(string) (T, error), show func(T) string) *Setting {
	return s.Env(env, def, usage, func(v string) (err error) {
		*field, err = parse(v)
		return err
	}, func() string { return show(*field) })
}

// CheckAddress checks an address to listen on.
func CheckAddress(v string) error {
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return errors.New("must be host:port, such as 127.0.0.1:8080 or :8080")
	}
	return nil
}

// OneOf returns a check that a value is one of the words.
func OneOf(words ...string) func(string) error {
	return func(v string) error {
		if slices.Contains(words, v) {
			return nil
		}
		last := len(words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
	}
}

// CheckHTTP checks the address of a service.
func CheckHTTP(v string) error {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be an http or https address without user, query and fragment")
	}
	return nil
}
