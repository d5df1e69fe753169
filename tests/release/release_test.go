// Package release_test runs the steps of a release as far as possible without a
// registry, and compares docs/security.md with the existing tests.
package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const root = "../.."

// run runs a command in the repository and returns its output.
func run(t *testing.T, env []string, stdin, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...) //nolint:gosec // commands of these tests
	cmd.Dir, cmd.Env, cmd.Stdin = root, append(os.Environ(), env...), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestBillOfMaterialsIsComplete verifies that the bill of materials has exactly the
// modules and versions in the program (statement 40). ECF_PROGRAMS names a folder of
// programs to check, such as those taken out of images.
func TestBillOfMaterialsIsComplete(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("ECF_PROGRAMS")
	if folder == "" {
		checkBill(t, testkit.Binary(t, "services/records/cmd/records"))
		return
	}
	programs, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(programs) < 6 {
		t.Fatalf("%s contains only %v: %v", folder, programs, err)
	}
	for _, program := range programs {
		t.Run(filepath.Base(program), func(t *testing.T) { checkBill(t, program) })
	}
}

func checkBill(t *testing.T, program string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./tests/cmd/sbom", "-name", "ecf/records", "-version", "9.8.7", program)
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("sbom: %v", err)
	}
	var bom struct {
		BOMFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Component struct {
				Version string
				Hashes  []struct{ Alg, Content string }
			}
		}
		Components []struct {
			Name, Version, PURL string
			Properties          []struct{ Name, Value string }
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	var stated []string
	for _, c := range bom.Components {
		line := c.Name + " " + c.Version
		for _, p := range c.Properties {
			if p.Name == "go:sum" {
				line += " " + p.Value
			}
		}
		if c.PURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%s has the address %s", c.Name, c.PURL)
		}
		stated = append(stated, line)
	}
	listed, err := run(t, nil, "", "go", "version", "-m", program)
	if err != nil {
		t.Fatal(err)
	}
	var inside []string
	for line := range strings.Lines(listed) {
		switch words := strings.Fields(line); {
		case len(words) == 2 && strings.HasPrefix(words[1], "go1"):
			inside = append(inside, "std "+strings.TrimPrefix(words[1], "go"))
		case len(words) == 4 && words[0] == "dep":
			inside = append(inside, strings.Join(words[1:], " "))
		case len(words) == 3 && words[0] == "dep" && strings.HasPrefix(words[1], "github.com/eventcarbon/ecf/"):
			inside = append(inside, words[1]+" 9.8.7")
		case len(words) > 1 && (words[0] == "dep" || words[0] == "=>" && !strings.HasPrefix(words[1], "../")):
			t.Errorf("a line this test does not know: %q", line)
		}
	}
	slices.Sort(stated)
	slices.Sort(inside)
	if !slices.Equal(stated, inside) || len(inside) < 20 {
		t.Errorf("the bill has\n%s\nthe program has\n%s", strings.Join(stated, "\n"), strings.Join(inside, "\n"))
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if h := bom.Metadata.Component.Hashes; len(h) != 1 || h[0].Content != fmt.Sprintf("%x", sha256.Sum256(content)) {
		t.Errorf("the hash of the program is %v", h)
	}
	if len(bom.Dependencies) != len(bom.Components)+1 || len(bom.Dependencies[0].DependsOn) != len(bom.Components) {
		t.Error("not every component is a dependency")
	}
}

// database writes a vulnerability database with one entry about a module, and the given
// number of entries about modules that do not exist.
func database(t *testing.T, module string, modified time.Time, others int) string {
	t.Helper()
	dir := t.TempDir()
	date := modified.UTC().Format(time.RFC3339)
	var more strings.Builder
	for n := range others {
		path := fmt.Sprintf("example.org/gone/%d", n)
		if n == 0 {
			path = "stdlib"
		}
		fmt.Fprintf(&more, `,{"path":"%s","vulns":[{"id":"GO-2000-%d","modified":"%s","fixed":"0.0.1"}]}`, path, 1000+n, date)
	}
	for name, value := range map[string]string{
		"index/db.json":        `{"modified":"` + date + `"}`,
		"index/modules.json":   `[{"path":"` + module + `","vulns":[{"id":"GO-2000-0001","modified":"` + date + `","fixed":"99.0.0"}]}` + more.String() + `]`,
		"index/vulns.json":     `[{"id":"GO-2000-0001","modified":"` + date + `"}]`,
		"ID/GO-2000-0001.json": entry("GO-2000-0001", module, "99.0.0", date),
		"ID/GO-2000-1000.json": entry("GO-2000-1000", "stdlib", "0.0.1", date), // every program is checked for the standard library
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "VULNDB=file://" + dir
}

// entry returns a vulnerability of a module before a version.
func entry(id, module, fixed, date string) string {
	return `{"schema_version":"1.3.1","id":"` + id + `","modified":"` + date + `","published":"` + date + `","summary":"made up",` +
		`"affected":[{"package":{"name":"` + module + `","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"` + fixed + `"}]}],"ecosystem_specific":{}}],` +
		`"database_specific":{"url":"https://example.org"}}`
}

// TestVulnerabilitiesAreLookedUp verifies that known vulnerabilities are looked up in a
// database, possibly a folder, whose date is reported, and that a release without data,
// or with old data, fails (statement 40).
func TestVulnerabilitiesAreLookedUp(t *testing.T) {
	t.Parallel()
	const script = "deploy/release/vulnerabilities.sh"
	program, shipped := testkit.Binary(t, "services/gateway/cmd/gateway"), filepath.Join(t.TempDir(), "gateway")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", shipped, "./cmd/gateway")
	build.Dir = filepath.Join(root, "services/gateway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	today, old := time.Now(), time.Now().Add(-60*24*time.Hour)
	for _, c := range []struct {
		name    string
		program string
		env     []string
		fails   bool
		says    string
	}{
		{"a module of a program as shipped, without symbols", shipped, []string{database(t, "github.com/gofiber/fiber/v2", today, 600), "REQUIRE=yes"}, true, "GO-2000-0001"},
		{"no module of a program as shipped", shipped, []string{database(t, "example.org/other", today, 600), "REQUIRE=yes"}, false, "no symbol table"},
		{"a module that is built in", program, []string{database(t, "github.com/gofiber/fiber/v2", today, 0)}, true, "GO-2000-0001"},
		{"a module that is not", program, []string{database(t, "example.org/other", today, 600), "REQUIRE=yes"}, false, "by data of " + today.UTC().Format(time.DateOnly)},
		{"a module that is built in, for a release", program, []string{database(t, "github.com/gofiber/fiber/v2", today, 600), "REQUIRE=yes"}, true, "GO-2000-0001"},
		{"old data for a release", program, []string{database(t, "example.org/other", old, 600), "REQUIRE=yes"}, true, "older than 30 days"},
		{"data of the future for a release", program, []string{database(t, "example.org/other", today.Add(365*24*time.Hour), 600), "REQUIRE=yes"}, true, "of the future"},
		{"a part of the data for a release", program, []string{database(t, "example.org/other", today, 20), "REQUIRE=yes"}, true, "not whole"},
		{"data without the standard library for a release", program, []string{database(t, "example.org/other", today, 0), "REQUIRE=yes", "LEAST_ENTRIES=1"}, true, "not whole"},
		{"no data for a release", program, []string{"VULNDB=file:///nonexistent", "REQUIRE=yes"}, true, "NOT checked"},
		{"no data otherwise", program, []string{"VULNDB=file:///nonexistent", "REQUIRE="}, false, "NOT checked"},
	} {
		out, err := run(t, c.env, "", script, c.program)
		if strings.Contains(out, "no such host") || strings.Contains(out, "dial tcp") {
			t.Skipf("NOT TESTED: govulncheck cannot be had: %s", out)
		}
		if (err != nil) != c.fails || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

// TestBuildsAreReproducible verifies that two builds of the same sources, in two
// places, are identical, with the flags of image builds (statement 39).
func TestBuildsAreReproducible(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-tags grpcnotrace", `-ldflags "-s -w`} {
		if !strings.Contains(string(text), flag) {
			t.Errorf("the Dockerfile does not build with %s", flag)
		}
	}
	var sums [2][32]byte
	for i := range sums {
		// A copy of the sources of the image, at another path.
		dir := t.TempDir()
		for _, folder := range []string{"libs", "services/review"} {
			if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(dir, "app")
		cmd := exec.CommandContext(t.Context(), "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", out, "./cmd/review")
		cmd.Dir = filepath.Join(dir, "services/review")
		cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, text)
		}
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte("text/template.(*state).evalField")) {
			t.Error("the program calls methods by name, so it contains every exported method of every type")
		}
		if bytes.Contains(content, []byte(dir)) {
			t.Error("the program contains the path at which it was built")
		}
		sums[i] = sha256.Sum256(content)
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ: %x and %x", sums[0], sums[1])
	}
}

// TestReleaseNamesImagesByDigest verifies that a release names every image by digest,
// and that anything else is rejected (statement 40).
func TestReleaseNamesImagesByDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, folder := range []string{"deploy/release", "k8s/components/release"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "deploy/release/pin.sh")
	if err := os.Chmod(script, 0o755); err != nil { //nolint:gosec // a script
		t.Fatal(err)
	}
	services := []string{"gateway", "auth", "records", "review", "calculation", "standalone"}
	var lines string
	for i, service := range services {
		lines += fmt.Sprintf("%s registry.example.org/ecf/%s@sha256:%064x\n", service, service, i)
	}
	if out, err := run(t, nil, lines, script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	written, err := os.ReadFile(filepath.Join(dir, "k8s/components/release/kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, service := range services {
		if want := fmt.Sprintf("  - name: ecf/%s\n    newName: registry.example.org/ecf/%s\n    digest: sha256:%064x\n", service, service, i); !strings.Contains(string(written), want) {
			t.Errorf("%s is not named by its digest:\n%s", service, written)
		}
	}
	for name, bad := range map[string]string{
		"a tag":             strings.Replace(lines, "@sha256:", ":", 1),
		"a short digest":    strings.Replace(lines, "@sha256:0", "@sha256:", 1),
		"a service missing": strings.Join(strings.SplitAfter(lines, "\n")[1:], ""),
	} {
		if out, err := run(t, nil, bad, script); err == nil {
			t.Errorf("%s was accepted: %s", name, out)
		}
	}
}

// TestReleaseWorkflow verifies that the workflow signs, attests and verifies what it
// publishes, and runs nothing that is not pinned by a hash or an exact version
// (statement 40).
func TestReleaseWorkflow(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".github/workflows/release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	workflow := string(text)
	for _, want := range []string{"make verify test", "REQUIRE=yes deploy/release/vulnerabilities.sh", "run: {shell: bash}", "permissions: {}", "id-token: write"} {
		if !strings.Contains(workflow, want) {
			t.Errorf("the workflow does not %s", want)
		}
	}
	// What is published was checked, built twice, attested, signed and verified, in
	// that order.
	rest := workflow
	for _, step := range []string{"deploy/release/vulnerabilities.sh", "needs: check", "deploy/release/check-images.sh", "deploy/release/images.sh", "BUILDX_BUILDER: again", "deploy/release/reproduce.sh", "deploy/release/attest.sh", "cosign sign-blob", "gh release create"} {
		_, after, ok := strings.Cut(rest, step)
		if !ok {
			t.Errorf("the workflow does not come to %q in its order", step)
			break
		}
		rest = after
	}
	for _, m := range regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(workflow, -1) {
		if !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(m[1]) {
			t.Errorf("%s is not named by a hash", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`go install (\S+)`).FindAllStringSubmatch(workflow, -1) {
		if !regexp.MustCompile(`@v\d+\.\d+\.\d+$`).MatchString(m[1]) {
			t.Errorf("%s has no exact version", m[1])
		}
	}
	runbook := source(t, "docs/runbooks/release.md")
	for _, m := range regexp.MustCompile(`make [a-z][a-z -]+[a-z]|deploy/release/[a-z-]+\.sh|cosign [a-z]+|gh release create`).FindAllString(workflow, -1) {
		if !strings.Contains(runbook, "`"+m) && m != "cosign login" && m != "cosign sign-blob" {
			t.Errorf("docs/runbooks/release.md does not say that the workflow runs %s", m)
		}
	}
	for _, m := range regexp.MustCompile(`deploy/release/[a-z-]+\.sh`).FindAllString(workflow, -1) {
		info, err := os.Stat(filepath.Join(root, m))
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run: %v", m, err)
		}
		if out, err := run(t, nil, "", "bash", "-n", m); err != nil {
			t.Errorf("%s: %s", m, out)
		}
	}
}

// TestChangelogHasNotes verifies that the notes of a release come from CHANGELOG.md,
// and that a version without an entry cannot be released.
func TestChangelogHasNotes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	versions := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+|Unreleased)`).FindAllStringSubmatch(string(text), -1)
	if len(versions) == 0 {
		t.Fatal("CHANGELOG.md has no versions")
	}
	for _, v := range versions {
		if out, err := run(t, nil, "", "deploy/release/notes.sh", v[1]); err != nil || !strings.Contains(out, "- ") {
			t.Errorf("%s: %v %q", v[1], err, out)
		}
	}
	if out, err := run(t, nil, "", "deploy/release/notes.sh", "0.0.1"); err == nil {
		t.Errorf("notes of no version: %q", out)
	}
}
