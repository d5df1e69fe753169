package settings

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Usage describes every setting for people, one per line, with its flag, its
// variable, its default and its meaning.
func (s *Set) Usage() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range s.list {
		variable := e.Env
		if e.Secret {
			variable += "[" + fileSuffix + "]"
		}
		fmt.Fprintf(w, "  --%s\t%s\t%s\n", e.Flag, variable, e.meaning())
	}
	_ = w.Flush() // a strings.Builder never fails
	return b.String()
}

// usage returns the description of the setting in this program.
func (s *Setting) usage() string {
	if s.note != "" {
		return s.Usage + "; " + s.note
	}
	return s.Usage
}

// meaning returns the usage with the default.
func (s *Setting) meaning() string {
	switch {
	case s.Required:
		return s.usage() + " (required)"
	case s.Default != "" && (!s.Switch || s.Default != "false"):
		return s.usage() + " (default " + s.Default + ")"
	}
	return s.usage()
}

// Markdown returns the rows of a table of the settings: variable, flag, default,
// meaning.
func (s *Set) Markdown() string {
	var b strings.Builder
	b.WriteString("| Variable | Flag | Default | Meaning |\n|---|---|---|---|\n")
	for _, e := range s.list {
		variable, def := "", "—"
		if e.Env != "" {
			variable = "`" + e.Env + "`"
		}
		if e.Secret {
			variable += ", `" + e.Env + fileSuffix + "`"
		}
		if e.Default != "" {
			def = "`" + e.Default + "`"
		}
		if e.Required {
			def = "required"
		}
		fmt.Fprintf(&b, "| %s | `--%s` | %s | %s |\n", variable, e.Flag, def, strings.ReplaceAll(e.usage(), "|", "\\|"))
	}
	return b.String()
}
