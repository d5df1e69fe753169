package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// commandSettings returns the variables that only commands of ecf other than serve
// read, from the generated tables of docs/configuration.md.
func commandSettings(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	variable := regexp.MustCompile("(?m)^\\| `(ECF_[A-Z_]+)`")
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		command, _, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(command, "ecf ") || command == "ecf serve" {
			continue
		}
		for _, m := range variable.FindAllStringSubmatch(section, -1) {
			read[m[1]] = command
		}
	}
	if read["ECF_QUOTAS"] == "" || read["ECF_ISSUER"] == "" {
		t.Fatalf("only the settings %v of commands were found", read)
	}
	return read
}

// TestCommandsGetWhatTheServicesGet verifies that what a deployment sets in .env for
// its services also applies to administrators' commands, such as the issuer in links
// and the plans.
func TestCommandsGetWhatTheServicesGet(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, admin, ok := strings.Cut(string(text), "\n  admin:\n")
	if !ok {
		t.Fatal("there are no administrators' commands")
	}
	admin, _, _ = strings.Cut(admin, "\n  mongo-1:\n")
	read := commandSettings(t)
	for _, m := range regexp.MustCompile(`\$\{(ECF_[A-Z_]+)[:}]`).FindAllStringSubmatch(string(text), -1) {
		if command := read[m[1]]; command != "" && !strings.Contains(admin, "${"+m[1]+":") {
			t.Errorf("services read %s from .env, but %s does not", m[1], command)
		}
	}
	// Settings that only commands read can be set there, too.
	for _, name := range []string{"ECF_RESULT_RETENTION", "ECF_PLAN_LIMITS"} {
		if !strings.Contains(admin, "${"+name+":") {
			t.Errorf("commands cannot be given %s", name)
		}
	}
}

// TestCommandsCanRestoreAndExport verifies that the shipped commands can export and
// compare heads and restore backups: they have the volume of backups, space for the
// copies that they verify, and the report keys, which the signing service has as well.
func TestCommandsCanRestoreAndExport(t *testing.T) {
	t.Parallel()
	project := compose(t)
	mounts := func(service string) map[string]string {
		found := map[string]string{}
		for _, v := range project.Services[service].Volumes {
			found[v.Target] = v.Source
			if v.ReadOnly {
				found[v.Target] += " to read"
			}
		}
		return found
	}
	admin, signs := mounts("admin"), mounts("calculation")
	keys := *project.Services["admin"].Environment["ECF_SIGNING_KEYS_DIR"] + "/reports"
	if _, scratch := admin["/tmp"]; !scratch || admin["/var/lib/ecf/backups"] != "backups" || admin[keys] != "report-keys" {
		t.Errorf("the commands in compose have %v", admin)
	}
	if got := project.Services["calculation"].Environment["ECF_SIGNING_KEYS_DIR"]; got == nil || signs[*got+"/reports"] != "report-keys to read" || len(signs) != 2 {
		t.Errorf("the service that signs reports has %v", signs)
	}
	// A named volume takes its owner from the image, which must have the folder.
	for _, folder := range []string{"keys/reports", "backups"} {
		if !strings.Contains(readDockerfile(t), "/out/data/"+folder) {
			t.Errorf("the image has no folder /var/lib/ecf/%s, so the volume would not be writable", folder)
		}
	}
	page := runbook(t, "disaster.md") + runbook(t, "accounts.md")
	for _, m := range regexp.MustCompile(`run --rm admin (?:restore --from|backup --into|audit verify --heads|audit export --to) (\S+)`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "/var/lib/ecf/backups") {
			t.Errorf("in compose there is no %s", m[1])
		}
	}

	for _, overlay := range []string{dev, prod} {
		objects := render(t, overlay)
		i := slices.IndexFunc(all[*batchv1.CronJob](objects), func(c *batchv1.CronJob) bool { return c.Name == "backups" })
		if i < 0 {
			t.Fatalf("%s: there is no job with the volume of backups", overlay)
		}
		pod := all[*batchv1.CronJob](objects)[i].Spec.JobTemplate.Spec.Template.Spec
		c := pod.Containers[0]
		at := func(path string) corev1.VolumeSource {
			for _, m := range c.VolumeMounts {
				for _, v := range pod.Volumes {
					if m.MountPath == path && v.Name == m.Name {
						return v.VolumeSource
					}
				}
			}
			return corev1.VolumeSource{}
		}
		folder := c.Env[slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "ECF_SIGNING_KEYS_DIR" })].Value
		if at("/backups").PersistentVolumeClaim == nil || at("/tmp").EmptyDir == nil || at(folder+"/reports").Secret == nil {
			t.Errorf("%s: the job backups mounts %+v of %+v", overlay, c.VolumeMounts, pod.Volumes)
		}
	}
	// The contents of /tmp count as the container's ephemeral storage.
	for _, c := range all[*batchv1.CronJob](render(t, prod)) {
		pod := c.Spec.JobTemplate.Spec.Template.Spec
		for _, v := range pod.Volumes {
			if v.EmptyDir != nil && v.EmptyDir.SizeLimit.Cmp(*pod.Containers[0].Resources.Limits.StorageEphemeral()) > 0 {
				t.Errorf("%s: is evicted at %v, but its %s may take %v", c.Name, pod.Containers[0].Resources.Limits.StorageEphemeral(), v.Name, v.EmptyDir.SizeLimit)
			}
		}
	}
}

// nodeLogs is what the logs of a container take at the defaults of the kubelet, as docs/runbooks/logs.md has them: five
// files of 10 MiB.
const nodeLogs = 50 << 20

// TestFilesOfServicesFitTheirStorage verifies that no service is evicted for files that it may store: its volumes on the
// disk of the node and its logs together count as its ephemeral storage.
func TestFilesOfServicesFitTheirStorage(t *testing.T) {
	t.Parallel()
	stored := 0
	for _, overlay := range []string{dev, prod} {
		for _, d := range all[*appsv1.Deployment](render(t, overlay)) {
			pod := d.Spec.Template.Spec
			var limit, most int64
			for _, c := range pod.Containers {
				limit += c.Resources.Limits.StorageEphemeral().Value()
				most += nodeLogs
			}
			for _, v := range pod.Volumes {
				if v.EmptyDir == nil || v.EmptyDir.Medium == corev1.StorageMediumMemory {
					continue
				}
				stored++
				if v.EmptyDir.SizeLimit == nil {
					t.Errorf("%s, %s: the volume %s has no limit", overlay, d.Name, v.Name)
					continue
				}
				most += v.EmptyDir.SizeLimit.Value()
			}
			if most > limit {
				t.Errorf("%s, %s: is evicted at %d MiB, but its files and logs may take %d MiB", overlay, d.Name, limit>>20, most>>20)
			}
		}
	}
	if stored < 4 {
		t.Errorf("only %d volumes were found", stored)
	}
}
