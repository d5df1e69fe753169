package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakes replace programs that need a registry or a container engine. Each records its
// arguments in calls. AMD and ARM are the digests of images that are built again.
var fakes = map[string]string{
	"docker": `case "$*" in
*imagetools*) echo '{"buildDefinition":{},"runDetails":{}}' ;;
*type=oci*)
  dir=$(sed 's/.*dest=\([^,]*\),.*/\1/' <<<"$*")
  mkdir -p "$dir/blobs/sha256"
  echo '{"manifests":[{"mediaType":"application/vnd.oci.image.index.v1+json","digest":"sha256:nested"}]}' >"$dir/index.json"
  index "$AMD" "$ARM" >"$dir/blobs/sha256/nested" ;;
*push=true*) sed 's/.*--metadata-file \([^ ]*\) .*/\1/' <<<"$*" | { read -r file; echo '{"containerimage.digest": "sha256:pushed"}' >"$file"; } ;;
esac`,
	"crane": `case "$1" in
manifest) index sha256:a sha256:b '{"digest":"sha256:c","platform":{"os":"unknown","architecture":"unknown"},"annotations":{"vnd.docker.reference.type":"attestation-manifest"}}' ;;
export) d=$(mktemp -d); cp "$PROGRAM" "$d/app"; tar -C "$d" -c app; rm -r "$d" ;;
esac`,
	"cosign": `[ "$1 $4" != "verify-attestation $REFUSED" ]`,
}

// withFakes returns the environment in which they are found, and the file with their
// calls.
func withFakes(t *testing.T) (env []string, calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	for name, does := range fakes {
		script := "#!/usr/bin/env bash\nset -euo pipefail\nprintf '%s' \"${0##*/}\" >>" + calls + "\nprintf ' %s' \"$@\" >>" + calls + "\necho >>" + calls + `
index() {
  echo "{\"manifests\":[{\"digest\":\"$1\",\"platform\":{\"os\":\"linux\",\"architecture\":\"amd64\"}},{\"digest\":\"$2\",\"platform\":{\"os\":\"linux\",\"architecture\":\"arm64\"}}${3:+,$3}]}"
}
` + does + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil { //nolint:gosec // a script
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "AMD=sha256:a", "ARM=sha256:b", "REFUSED=", "PROGRAM=" + os.Args[0]}, calls
}

// TestImagesAreBuiltAgain verifies that pushed images are built a second time and
// compared for each platform, except the build attestation, which differs each time
// (statement 39).
func TestImagesAreBuiltAgain(t *testing.T) {
	t.Parallel()
	const digests = "records registry.example.org/ecf/records@sha256:0\ngateway registry.example.org/ecf/gateway@sha256:1\n"
	for name, c := range map[string]struct {
		env   string
		stdin string
		says  string
	}{
		"the same":              {stdin: digests},
		"another for arm64":     {"ARM=sha256:other", digests, "gateway is another image"},
		"another for amd64":     {"AMD=sha256:other", digests, "records is another image"},
		"nothing to build":      {"", "", "no images"},
		"one platform is gone":  {"ARM=", digests, "no digest"},
		"platforms are swapped": {"ARM=sha256:a", digests, "is another image"},
	} {
		env, calls := withFakes(t)
		out, err := run(t, append(env, c.env), c.stdin, "deploy/release/reproduce.sh", "1.2.3")
		if (err != nil) != (c.says != "") || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v %s", name, err, out)
		}
		called, _ := os.ReadFile(calls) //nolint:gosec // of this test
		if strings.Contains(string(called), "push=true") {
			t.Errorf("%s: what is compared is pushed: %s", name, called)
		}
	}
}

// TestImagesAreAttested verifies that every image is signed, that its contents and
// build are attested for each platform, and that all this is verified (statement 40).
func TestImagesAreAttested(t *testing.T) {
	t.Parallel()
	env, calls := withFakes(t)
	const image = "registry.example.org/ecf/records@sha256:0"
	bills := []string{"records-amd64.cdx.json", "records-arm64.cdx.json"}
	t.Cleanup(func() {
		for _, bill := range bills {
			_ = os.Remove(filepath.Join(root, bill))
		}
	})
	if out, err := run(t, env, "records "+image+"\n", "deploy/release/attest.sh", "1.2.3", "https://example.org/us"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	called := lines(t, calls)
	for n, digest := range []string{"sha256:a", "sha256:b"} {
		of := "registry.example.org/ecf/records@" + digest
		for _, want := range []string{
			"crane export " + of,
			"cosign attest --yes --type cyclonedx --predicate " + bills[n] + " " + of,
			"cosign attest --yes --type cyclonedx --predicate " + bills[n] + " " + image,
			"cosign attest --yes --type slsaprovenance1",
			"cosign verify-attestation --type cyclonedx " + of + " --certificate-oidc-issuer",
			"cosign verify-attestation --type slsaprovenance1 " + of,
		} {
			if !strings.Contains(called, want) {
				t.Errorf("not called: %s\n%s", want, called)
			}
		}
	}
	for _, want := range []string{"cosign sign --yes --recursive " + image, "cosign verify " + image + " --certificate-oidc-issuer https://token.actions.githubusercontent.com --certificate-identity https://example.org/us"} {
		if !strings.Contains(called, want) {
			t.Errorf("not called: %s\n%s", want, called)
		}
	}
	env, _ = withFakes(t)
	if out, err := run(t, append(env, "REFUSED=registry.example.org/ecf/records@sha256:b"), "records "+image+"\n", "deploy/release/attest.sh", "1.2.3", "https://example.org/us"); err == nil {
		t.Errorf("an image without attestation was accepted: %s", out)
	}
}

// TestImagesArePushedWithTheirRecord verifies that images are pushed with their build
// attestation, and that later steps get their digests (statement 40).
func TestImagesArePushedWithTheirRecord(t *testing.T) {
	t.Parallel()
	env, calls := withFakes(t)
	out, err := run(t, env, "", "deploy/release/images.sh", "registry.example.org/ecf", "1.2.3")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	called := lines(t, calls)
	for _, service := range []string{"gateway", "auth", "records", "review", "calculation", "standalone"} {
		if !strings.Contains(out, fmt.Sprintf("%[1]s registry.example.org/ecf/%[1]s@sha256:pushed\n", service)) {
			t.Errorf("%s is not named by its digest: %s", service, out)
		}
	}
	if n := strings.Count(called, "--provenance=mode=max,version=v1"); n != 6 {
		t.Errorf("%d of 6 images are pushed with their record: %s", n, called)
	}
}

// TestToolsOfTheBuildAreNamedByDigest verifies that every tool of the build is pinned
// by digest (statement 40).
func TestToolsOfTheBuildAreNamedByDigest(t *testing.T) {
	t.Parallel()
	if strings.Contains(source(t, "deploy/Dockerfile"), "# syntax=") {
		t.Error("the Dockerfile is read by an image that a tag names")
	}
	workflow := source(t, ".github/workflows/release.yml")
	if !regexp.MustCompile(`BUILDKIT: \S+:v[0-9.]+@sha256:[0-9a-f]{64}\n`).MatchString(workflow) {
		t.Error("the builder is not named by a digest")
	}
	if n, of := strings.Count(workflow, "buildx create"), strings.Count(workflow, `--driver-opt "image=$BUILDKIT"`); n != 2 || of != n {
		t.Errorf("%d builders, %d of them of the image that is named", n, of)
	}
	if strings.Contains(source(t, "deploy/release/*.sh"), "--sbom=true") {
		t.Error("a scanner that a tag names looks into the images")
	}
}

func lines(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // of this test
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
