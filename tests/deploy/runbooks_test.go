package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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

// TestRestoringStartsWhatItStopped verifies that the runbook starts again exactly what
// it stops: no Deployment has a fixed number of pods, so nothing else would, and both
// commands must name all of them.
func TestRestoringStartsWhatItStopped(t *testing.T) {
	t.Parallel()
	var ours []string
	for _, d := range all[*appsv1.Deployment](render(t, prod)) {
		if d.Labels["app.kubernetes.io/part-of"] != "ecf" || d.Name == "otel-collector" {
			continue
		}
		ours = append(ours, "deployment/"+d.Name)
		if d.Spec.Replicas != nil {
			t.Errorf("%s has a fixed number of pods, which an autoscaler must decide", d.Name)
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
			t.Errorf("scaled to %s: %v, but the deployments are %v", c[1], names, ours)
		}
	}
}

// TestRunbooksNameJobsThatThereAre verifies that the jobs of runbooks are created from
// existing manifests.
func TestRunbooksNameJobsThatThereAre(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, c := range all[*batchv1.CronJob](render(t, prod)) {
		have[c.Name] = true
	}
	for _, page := range []string{"accounts.md", "disaster.md", "kubernetes.md", "upgrade.md"} {
		for _, m := range fromJob.FindAllStringSubmatch(runbook(t, page), -1) {
			if !have[m[1]] {
				t.Errorf("%s creates a job from %s, which does not exist", page, m[1])
			}
		}
	}
}

// TestJobsOfThePages applies what pages change in a job, by jq, to the job of the manifests: the result is a job of
// Kubernetes whose containers mount only volumes that it has.
func TestJobsOfThePages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed")
	}
	jobs := map[string]batchv1.Job{}
	for _, c := range all[*batchv1.CronJob](render(t, prod)) {
		jobs[c.Name] = batchv1.Job{Spec: c.Spec.JobTemplate.Spec}
	}
	changed := regexp.MustCompile(`--from=cronjob/([a-z-]+) --dry-run=client -o json \|\s+jq '([^']+)'`)
	found := 0
	for _, page := range []string{"factor-packs.md", "runbooks/accounts.md", "runbooks/disaster.md", "runbooks/kubernetes.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range changed.FindAllStringSubmatch(string(text), -1) {
			found++
			before, err := json.Marshal(jobs[m[1]])
			if err != nil {
				t.Fatal(err)
			}
			jq := exec.CommandContext(t.Context(), "jq", m[2]) //nolint:gosec // of this repository
			jq.Stdin = bytes.NewReader(before)
			after, err := jq.Output()
			if err != nil {
				t.Errorf("%s: jq of %s: %v", page, m[1], err)
				continue
			}
			var job batchv1.Job
			strict := json.NewDecoder(bytes.NewReader(after))
			strict.DisallowUnknownFields()
			if err := strict.Decode(&job); err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
				continue
			}
			pod := job.Spec.Template.Spec
			if slices.Equal(pod.Containers[0].Args, jobs[m[1]].Spec.Template.Spec.Containers[0].Args) {
				t.Errorf("%s: the job has the arguments of %s, %q", page, m[1], pod.Containers[0].Args)
			}
			for _, mount := range pod.Containers[0].VolumeMounts {
				if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }) {
					t.Errorf("%s: the job mounts %s, which it has not", page, mount.Name)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("the pages have only %d jobs", found)
	}
}

// TestCommandsThatReadEverythingHaveTime verifies that a job whose command reads all data may take hours: killed after
// minutes it would never end on a large database.
func TestCommandsThatReadEverythingHaveTime(t *testing.T) {
	t.Parallel()
	for _, c := range all[*batchv1.CronJob](render(t, prod)) {
		job := c.Spec.JobTemplate.Spec
		command := strings.Join(job.Template.Spec.Containers[0].Args, " ")
		if !regexp.MustCompile(`^(backup|audit|restore|schema) ?`).MatchString(command) {
			continue
		}
		if job.ActiveDeadlineSeconds == nil || *job.ActiveDeadlineSeconds < 4*3600 {
			t.Errorf("%s: %q is killed too soon", c.Name, command)
		}
	}
}

// TestAlertsWatchJobsThatThereAre verifies that the alerts on jobs name those that run by themselves, in their namespace.
func TestAlertsWatchJobsThatThereAre(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join(root, "deploy/monitoring/rules/ecf.rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	watched := map[string]bool{}
	for _, m := range regexp.MustCompile(`namespace="([a-z-]+)", cronjob="([a-z-]+)"`).FindAllStringSubmatch(string(rules), -1) {
		watched[m[1]+"/"+m[2]] = true
	}
	for _, c := range all[*batchv1.CronJob](render(t, operators)) {
		name, byHand := c.Namespace+"/"+c.Name, c.Spec.Suspend != nil && *c.Spec.Suspend
		if watched[name] == byHand {
			t.Errorf("%s: watched %v, run by hand %v", name, watched[name], byHand)
		}
		delete(watched, name)
	}
	for name := range watched {
		t.Errorf("the rules watch %s, which does not exist", name)
	}
}

// TestUpgradeAppliesWhatItsJobsRead verifies that the upgrade applies the settings that
// its jobs refer to before it runs one: the names of settings contain their hash, so a
// job of the new release needs those of the new release.
func TestUpgradeAppliesWhatItsJobsRead(t *testing.T) {
	t.Parallel()
	m := selected.FindStringSubmatch(runbook(t, "upgrade.md"))
	if m == nil {
		t.Fatal("the upgrade applies no part of the manifests first")
	}
	for _, kind := range []string{"CronJob", "ConfigMap"} {
		if !strings.Contains(m[1], `.kind == "`+kind+`"`) {
			t.Errorf("no %s is applied before the job of the schema: %s", kind, m[1])
		}
	}
}

// TestImagesHaveTheTagThatIsRun verifies that `make images` builds the images that the
// development overlay and compose run, and that a release has its own version.
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

// TestAlertsSayHowOneProcessIsScraped verifies that the runbook tells operators of a
// single process to scrape it as each of the services in the rules, which are those
// that Prometheus scrapes in compose.
func TestAlertsSayHowOneProcessIsScraped(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/monitoring/prometheus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`names: \[([a-z, ]+)\]`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("Prometheus scrapes no services in compose")
	}
	var told []string
	page := runbook(t, "alerts.md")
	for _, label := range regexp.MustCompile(`labels: \{service: ([a-z]+)\}`).FindAllStringSubmatch(page, -1) {
		told = append(told, label[1])
	}
	if want := strings.Split(m[1], ", "); !slices.Equal(told, want) {
		t.Errorf("the runbook scrapes %v, but the rules have %v", told, want)
	}
	if strings.Contains(page, "`GET /api/v2/health` ") {
		t.Error("/health does not report the readiness of a service; /health/ready does")
	}
}
