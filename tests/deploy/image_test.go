package deploy

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	digest "github.com/opencontainers/go-digest"
)

const dockerfile = root + "/deploy/Dockerfile"

// offline replaces the registry for base images.
type offline struct{}

func (offline) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, digest.FromString(ref), []byte(`{"os":"linux","architecture":"amd64","config":{}}`), nil
}

// lint returns the warnings of BuildKit's checks, and an error if the file could not be
// built.
func lint(t *testing.T, text string, args map[string]string) ([]string, error) {
	t.Helper()
	source := llb.NewSourceMap(nil, "Dockerfile", "dockerfile", []byte(text))
	source.Definition = &llb.Definition{}
	option := dockerfile2llb.ConvertOpt{SourceMap: source, MetaResolver: offline{}}
	option.BuildArgs = args
	result, err := dockerfile2llb.DockerfileLint(t.Context(), []byte(text), option)
	if err != nil {
		return nil, err
	}
	if result.Error != nil {
		return nil, errorText(result.Error.Message)
	}
	var warnings []string
	for _, w := range result.Warnings {
		warnings = append(warnings, w.RuleName+": "+w.Detail)
	}
	return warnings, nil
}

type errorText string

func (e errorText) Error() string { return string(e) }

func readDockerfile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDockerfileIsClean(t *testing.T) {
	t.Parallel()
	text := readDockerfile(t)
	for name, args := range map[string]map[string]string{
		"one service": {"SERVICE": "records"},
		"all in one":  {"SERVICE": "standalone", "PROGRAM": "ecf", "SOURCES": "all"},
	} {
		warnings, err := lint(t, text, args)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %v", name, warnings, err)
		}
	}
	bad := "from scratch\nMAINTAINER x\nFROM golang as B\nENV a b\nCMD echo $SECRET\n"
	if warnings, err := lint(t, bad, nil); err != nil || len(warnings) < 4 {
		t.Errorf("a bad file gave only %v %v", warnings, err)
	}
}

// TestDockerfileRules verifies the parts of statement 39 that need no build: bases
// pinned by digest, not root, one program.
func TestDockerfileRules(t *testing.T) {
	t.Parallel()
	parsed, err := parser.Parse(strings.NewReader(readDockerfile(t)))
	if err != nil {
		t.Fatal(err)
	}
	user, entry := "", ""
	for _, node := range parsed.AST.Children {
		var words []string
		for n := node.Next; n != nil; n = n.Next {
			words = append(words, n.Value)
		}
		switch strings.ToUpper(node.Value) {
		case "ARG":
			name, value, given := strings.Cut(words[0], "=")
			if strings.HasSuffix(name, "_IMAGE") && given && !strings.Contains(value, "@sha256:") {
				t.Errorf("the base image %s is not pinned by its digest", value)
			}
		case "COPY":
			if !slices.ContainsFunc(node.Flags, func(f string) bool { return strings.HasPrefix(f, "--from=") }) {
				checkCopied(t, words[:len(words)-1])
			}
		case "USER":
			user = words[0]
		case "ENTRYPOINT":
			entry = strings.Join(words, " ")
		}
	}
	if user != "65532:65532" {
		t.Errorf("runs as %q", user)
	}
	if entry != "/app" {
		t.Errorf("starts %q; the health check of compose runs /app", entry)
	}
}

// checkCopied verifies that copied files exist and are not excluded from the context.
func checkCopied(t *testing.T, sources []string) {
	t.Helper()
	ignored, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		source = strings.ReplaceAll(source, "${SERVICE}", "records")
		if _, err := os.Stat(filepath.Join(root, source)); err != nil {
			t.Errorf("copies %s: %v", source, err)
		}
		included := func(line string) bool {
			path, ok := strings.CutPrefix(line, "!")
			return ok && (source == path || strings.HasPrefix(source, path+"/"))
		}
		if !slices.ContainsFunc(strings.Split(string(ignored), "\n"), included) {
			t.Errorf("copies %s, which .dockerignore excludes", source)
		}
	}
}

// TestImagesAreOfPrograms verifies that every image that is run is built from an
// existing program.
func TestImagesAreOfPrograms(t *testing.T) {
	t.Parallel()
	built := map[string]bool{}
	for name, s := range compose(t).Services {
		if image := imageName(s.Image); image != "" {
			built[image] = true
			checkBuild(t, name, image, s.Build)
		}
	}
	for _, overlay := range []string{dev, prod} {
		for _, p := range programs(render(t, overlay)) {
			if !built[p.image] {
				t.Errorf("%s: %s runs the image %q, which is not built", overlay, p.name, p.image)
			}
		}
	}
}

// siblingReplaced matches a line of go.mod that replaces a service by the sibling
// folder.
var siblingReplaced = regexp.MustCompile(`=> \.\./[a-z]`)

func checkBuild(t *testing.T, name, image string, b *types.BuildConfig) {
	t.Helper()
	arg := func(key, otherwise string) string {
		if v, ok := b.Args[key]; ok && v != nil {
			return *v
		}
		return otherwise
	}
	if b == nil || filepath.ToSlash(b.Dockerfile) != "deploy/Dockerfile" {
		t.Errorf("%s: is not built by deploy/Dockerfile", name)
		return
	}
	service := arg("SERVICE", "")
	if service != image {
		t.Errorf("%s: the image %s is built from %s", name, image, service)
	}
	main := filepath.Join(root, "services", service, "cmd", arg("PROGRAM", service), "main.go")
	if _, err := os.Stat(main); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	module, err := os.ReadFile(filepath.Join(root, "services", service, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// A module that uses its siblings must be built from all sources.
	siblings := siblingReplaced.Match(module)
	if siblings != (arg("SOURCES", "one") == "all") {
		t.Errorf("%s: is built from the sources of %q", name, arg("SOURCES", "one"))
	}
}
