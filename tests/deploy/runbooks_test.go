package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
)

// runbook returns a page of docs/runbooks.
func runbook(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/runbooks", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	scaling  = regexp.MustCompile(`kubectl -n ecf scale --replicas=(\d+) ([^\n]*)`)
	fromJob  = regexp.MustCompile(`--from=cronjob/([a-z-]+)`)
	selected = regexp.MustCompile(`yq 'select\(([^)]*)\)'`)
)

// No Deployment of ours names a number of pods, so what the runbook stops nothing but
// the runbook starts: both commands name all of ours, and nothing else.
func TestRestoringStartsWhatItStopped(t *testing.T) {
	t.Parallel()
	var ours []string
	for _, d := range all[*appsv1.Deployment](render(t, prod)) {
		if d.Labels["app.kubernetes.io/part-of"] != "ecf" || d.Name == "otel-collector" {
			continue
		}
		ours = append(ours, "deployment/"+d.Name)
		if d.Spec.Replicas != nil {
			t.Errorf("%s names its number of pods, which an autoscaler decides", d.Name)
		}
	}
	slices.Sort(ours)
	commands := scaling.FindAllStringSubmatch(runbook(t, "disaster.md"), -1)
	if len(commands) != 2 || commands[0][1] != "0" || commands[1][1] != "2" {
		t.Fatalf("the runbook scales by %q", commands)
	}
	for _, c := range commands {
		names := strings.Fields(c[2])
		slices.Sort(names)
		if !slices.Equal(names, ours) {
			t.Errorf("scaled to %s: %v, and ours are %v", c[1], names, ours)
		}
	}
}

// Jobs that runbooks make are made from what the manifests have.
func TestRunbooksNameJobsThatThereAre(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, c := range all[*batchv1.CronJob](render(t, prod)) {
		have[c.Name] = true
	}
	for _, page := range []string{"accounts.md", "disaster.md", "kubernetes.md", "upgrade.md"} {
		for _, m := range fromJob.FindAllStringSubmatch(runbook(t, page), -1) {
			if !have[m[1]] {
				t.Errorf("%s makes a job from %s, which is none", page, m[1])
			}
		}
	}
}

// A job of the new release reads the settings of the new release, whose name has their
// hash: the upgrade applies what the jobs refer to before it runs one.
func TestUpgradeAppliesWhatItsJobsRead(t *testing.T) {
	t.Parallel()
	m := selected.FindStringSubmatch(runbook(t, "upgrade.md"))
	if m == nil {
		t.Fatal("the upgrade applies no part of the manifests first")
	}
	for _, kind := range []string{"CronJob", "ConfigMap"} {
		if !strings.Contains(m[1], `.kind == "`+kind+`"`) {
			t.Errorf("before the job of the schema no %s is applied: %s", kind, m[1])
		}
	}
}

// What `make images` makes is what the overlay of development and compose run; a
// release says its own version.
func TestImagesHaveTheTagThatIsRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	tags := func(arguments ...string) map[string]string {
		cmd := exec.CommandContext(t.Context(), "make", append([]string{"-C", root, "--dry-run", "images"}, arguments...)...)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "VERSION=") || strings.HasPrefix(e, "MAKE") })
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		made := map[string]string{}
		for _, m := range regexp.MustCompile(`-t (ecf/\S+):(\S+) \.`).FindAllStringSubmatch(string(out), -1) {
			made[m[1]] = m[2]
		}
		return made
	}
	made := tags()
	for _, p := range append(programs(render(t, dev)), program{image: "standalone"}) {
		tag := made["ecf/$service"]
		if own, ok := made["ecf/"+p.image]; ok {
			tag = own
		}
		if tag != "dev" {
			t.Errorf("%s is made with the tag %q, and run with dev: %v", p.image, tag, made)
		}
	}
	for _, d := range all[*appsv1.Deployment](render(t, dev)) {
		if c := d.Spec.Template.Spec.Containers[0]; imageName(c.Image) != "" && !strings.HasSuffix(c.Image, ":dev") {
			t.Errorf("development runs %s", c.Image)
		}
	}
	for name, s := range compose(t).Services {
		if imageName(s.Image) != "" && !strings.HasSuffix(s.Image, ":dev") {
			t.Errorf("compose runs %s as %s", s.Image, name)
		}
	}
	for image, tag := range tags("VERSION=2.1.0") {
		if tag != "2.1.0" {
			t.Errorf("of a release %s is made with the tag %s", image, tag)
		}
	}
}

// Who runs one process is told to scrape it as each of the services that the rules
// know, which are those that Prometheus of compose asks for.
func TestAlertsSayHowOneProcessIsScraped(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/monitoring/prometheus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`names: \[([a-z, ]+)\]`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("Prometheus of compose asks for no names")
	}
	var told []string
	page := runbook(t, "alerts.md")
	for _, label := range regexp.MustCompile(`labels: \{service: ([a-z]+)\}`).FindAllStringSubmatch(page, -1) {
		told = append(told, label[1])
	}
	if want := strings.Split(m[1], ", "); !slices.Equal(told, want) {
		t.Errorf("the runbook scrapes %v, and the rules know %v", told, want)
	}
	if strings.Contains(page, "`GET /api/v2/health` ") {
		t.Error("/health says of no service whether it is there; /health/ready does")
	}
}
