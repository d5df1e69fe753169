package standalone_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nonsense are values of which each setting has to refuse one at least.
var nonsense = []string{"what is this?", "-1", "://%zz", "99999999999999999999", "127.0.0.1:99999999", "/is/not/there"}

// anyText are the settings that accept any text: errors occur only when it is used, and name it.
func anyText() []string {
	names := []string{
		"--email", "--name", "--org", "--plan", // used for creating or looking up objects in the stores
		"--from", "--heads", "--into", "--key", "--keys", "--to", "--token-file", // files and folders of commands
	}
	for _, variable := range []string{"ECF_DATA_DIR", "ECF_SIGNING_KEYS_DIR", "ECF_TLS_CA", "ECF_TLS_CERT", "ECF_TLS_KEY"} {
		flag := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "ECF_")), "_", "-")
		names = append(names, variable, flag)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Every setting of every command rejects invalid values, from the environment and the command line, with an error
// that begins with its name. New settings in the reference are covered automatically.
func TestEverySettingNamesItselfWhenItIsWrong(t *testing.T) {
	t.Parallel()
	free := map[string]bool{}
	for _, p := range allPrograms() {
		for _, c := range p.Commands {
			for _, e := range c.Settings().All() {
				for _, name := range []string{e.Env, "--" + e.Flag} {
					if name == "" {
						continue
					}
					refused := false
					for _, value := range nonsense {
						var args []string
						env := map[string]string{}
						if name == e.Env {
							env[name] = value
						} else {
							args = []string{name + "=" + value}
						}
						set := c.Settings()
						if set.Positional {
							args = append(args, "a file or directory")
						}
						err := set.Load(args, func(name string) string { return env[name] })
						for line := range strings.SplitSeq(errorText(err), "\n") {
							if strings.HasPrefix(line, name+" ") && !strings.HasPrefix(line, name+" is required") {
								refused = true
							}
							// A sentence: the name, and what it must be or is.
							if rest, own := strings.CutPrefix(line, name+" "); own && !slices.Contains([]string{"must", "is", "has", "names"}, strings.Fields(rest)[0]) {
								t.Errorf("%s %s: %s", p.Name, c.Name, line)
							}
							if !strings.HasPrefix(line, "ECF_") && !strings.HasPrefix(line, "--") && line != "" {
								t.Errorf("%s %s: with %s=%s the error names no setting: %s", p.Name, c.Name, name, value, line)
							}
						}
					}
					if !refused {
						free[name] = true
					}
				}
			}
		}
	}
	if got, want := slices.Sorted(maps.Keys(free)), anyText(); !slices.Equal(got, want) {
		t.Errorf("anything is taken by\n%s\nand it may be by\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestSettingsThatContradictBeginNoSystem: settings that are wrong only together are refused before anything is created.
func TestSettingsThatContradictBeginNoSystem(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve"}, {"org", "create", "--name", "A", "--plan", "team"}, {"bootstrap", "--name", "A", "--plan", "team", "--email", "a@example.test"}} {
		dir := filepath.Join(t.TempDir(), "data")
		c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir, "ECF_PLAN_LIMITS": "gold.recordsPerEvent=5"}}
		if _, err := c.run("", args...); err == nil || !strings.Contains(err.Error(), "ECF_PLAN_LIMITS: there is no plan gold in ECF_QUOTAS") {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%v made %s", args, dir)
		}
	}
}

// Files and folders that are looked for later are named with the flag too.
func TestFilesOfCommandsAreNamed(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	c.must("", "org", "create", "--name", "A", "--plan", "team")
	c.must("", "keys", "rotate", "--reports")
	for args, want := range map[string]string{
		"audit verify --heads /none/heads": "--heads must name a file written by ecf audit export: open /none/heads",
		"audit export --to /none/heads":    "--to must name a file that can be written: open /none/",
		"backup --to /none/backup":         "the directory of the backup cannot be created, because the one it is in does not exist: mount its disk, or create it: mkdir /none/backup",
		"backup --to /":                    "the directory of the backup exists, and backups never overwrite anything: name a new directory with --to",
		"backup --into /none":              "--into must name an existing directory, which backups are put into; there is no directory /none: mount its disk, or create it",
		"backup --into /dev/null --keep 2": "there is no directory /dev/null",
		"backup verify /none":              "/none is not a whole backup, nor a directory of backups with one",
		"backup":                           "--to or --into is required",
		"verify --server collector x":      "--server must be an http or https address",
	} {
		if _, err := c.run("", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
