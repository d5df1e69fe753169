package app

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// help returns the help of a program with several commands.
func (p Program) help(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\nusage: %s COMMAND [settings]\n\n", p.Name, version, p.Summary, p.Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range p.Commands {
		fmt.Fprintf(w, "  %s\t%s\n", strings.TrimSpace(c.Name+" "+c.Arguments), c.Summary)
	}
	fmt.Fprintf(w, "  %s\tprint the version\n  %s\task the running server whether it is ready\n", versionCommand, healthcheckCommand)
	_ = w.Flush() // a strings.Builder never fails
	fmt.Fprintf(&b, "\n%s COMMAND --help lists the settings of a command.\n%s", p.Name, p.Notes)
	return b.String()
}

// commandHelp returns the settings of one command.
func (p Program) commandHelp(c Command, set *settings.Set, version string) string {
	var b strings.Builder
	name := strings.TrimSpace(p.Name + " " + c.Name)
	fmt.Fprintf(&b, "%s %s: %s\n\nusage: %s\n\nSettings, by flag or by environment variable (the flag wins). A variable with [_FILE]\nmay also be given by a file: NAME_FILE names it.\n\n%s",
		name, version, c.Summary, strings.TrimSpace(name+" "+c.Arguments+" [settings]"), set.Usage())
	b.WriteString("\nTelemetry, by the standard variables of OpenTelemetry:\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range telemetry.Variables() {
		fmt.Fprintf(w, "  %s\t%s\n", v.Name, v.Meaning)
	}
	_ = w.Flush()
	return b.String()
}
