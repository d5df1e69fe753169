package deploy

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eventcarbon/ecf/libs/app"
)

// The longest time that a program takes to stop: pending work, then telemetry.
const (
	flushLimit = 5 * time.Second
)

// operations is the name of all pods of jobs.
const operations = "operations"

// nameLabel distinguishes the pods of one workload from the others.
const nameLabel = "app.kubernetes.io/name"

// workload is a Deployment, a StatefulSet, or a job.
type workload struct {
	kind, name string
	selector   *metav1.LabelSelector
	template   *corev1.PodTemplateSpec
	// product means one of our programs, not part of the development setup.
	product bool
}

func workloads(objects []runtime.Object) []workload {
	var list []workload
	for _, d := range all[*appsv1.Deployment](objects) {
		list = append(list, workload{"Deployment", d.Name, d.Spec.Selector, &d.Spec.Template, d.Labels["app.kubernetes.io/part-of"] == "ecf"})
	}
	for _, s := range all[*appsv1.StatefulSet](objects) {
		list = append(list, workload{"StatefulSet", s.Name, s.Spec.Selector, &s.Spec.Template, false})
	}
	jobs := &metav1.LabelSelector{MatchLabels: map[string]string{nameLabel: operations}}
	for _, c := range all[*batchv1.CronJob](objects) {
		list = append(list, workload{"CronJob", operations, jobs, &c.Spec.JobTemplate.Spec.Template, false})
	}
	for _, j := range all[*batchv1.Job](objects) {
		list = append(list, workload{"Job", operations, jobs, &j.Spec.Template, false})
	}
	return list
}

// policy returns the violations of the rules by the objects of an overlay.
func policy(overlay string, objects []runtime.Object) []string {
	var found []string
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, w := range workloads(objects) {
		w.checkPod(report)
		w.checkCompany(objects, report)
		for i := range w.template.Spec.Containers {
			w.checkContainer(&w.template.Spec.Containers[i], report)
		}
		w.checkReferences(overlay, objects, report)
	}
	checkServices(objects, report)
	checkScaling(overlay, objects, report)
	checkNamespace(objects, report)
	return found
}

type reporter func(format string, args ...any)

func (w workload) checkPod(report reporter) {
	pod := &w.template.Spec
	if !matches(w.selector, w.template.Labels) {
		report("%s: its selector does not match its pods", w.name)
	}
	if w.selector == nil || w.selector.MatchLabels[nameLabel] != w.name {
		report("%s: its selector does not name it", w.name)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		report("%s: its pods get a token of the cluster", w.name)
	}
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		report("%s: its pods get variables of other services", w.name)
	}
	if pod.ServiceAccountName != w.name {
		report("%s: runs as %q, not as itself", w.name, pod.ServiceAccountName)
	}
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		report("%s: shares a namespace of its node", w.name)
	}
	s := pod.SecurityContext
	switch {
	case s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot:
		report("%s: may run as root", w.name)
	case s.RunAsUser == nil || *s.RunAsUser == 0:
		report("%s: runs as no particular user", w.name)
	case s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		report("%s: has no seccomp profile", w.name)
	}
	for _, v := range pod.Volumes {
		if v.HostPath != nil {
			report("%s: mounts a folder of its node", w.name)
		}
		// Files of a secret are for the pod's user and group only.
		if v.Secret != nil && (v.Secret.DefaultMode == nil || *v.Secret.DefaultMode&0o007 != 0) {
			report("%s: the secret %s can be read by everybody", w.name, v.Secret.SecretName)
		}
	}
	if !w.product {
		return
	}
	if !slices.ContainsFunc(pod.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
		return c.TopologyKey == corev1.LabelTopologyZone && matches(c.LabelSelector, w.template.Labels) &&
			slices.Contains(c.MatchLabelKeys, nameLabel)
	}) {
		report("%s: is not spread over zones", w.name)
	}
	w.checkGrace(report)
}

// checkGrace verifies that a pod has the time that its program takes to stop.
func (w workload) checkGrace(report reporter) {
	pod := &w.template.Spec
	needs := app.ServeGrace
	if w.name == "worker" {
		needs = app.WorkGrace
	}
	for _, c := range pod.Containers {
		if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Sleep == nil {
			report("%s: goes while it is still sent requests", w.name)
			continue
		}
		needs += time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	}
	needs += flushLimit
	if pod.TerminationGracePeriodSeconds == nil || time.Duration(*pod.TerminationGracePeriodSeconds)*time.Second <= needs {
		report("%s: is killed before it has ended; it may take %v", w.name, needs)
	}
}

func (w workload) checkContainer(c *corev1.Container, report reporter) {
	name := w.name + "/" + c.Name
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() {
		report("%s: requests no processor or no memory", name)
	}
	limit := c.Resources.Limits.Memory()
	if limit.IsZero() {
		report("%s: has no limit of memory", name)
	}
	if !c.Resources.Limits.Cpu().IsZero() {
		report("%s: has a limit of processor, which only makes it slow", name)
	}
	s := c.SecurityContext
	switch {
	case s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation:
		report("%s: may gain privileges", name)
	case s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem:
		report("%s: can write to its image", name)
	case s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0:
		report("%s: has capabilities", name)
	case s.Privileged != nil && *s.Privileged:
		report("%s: is privileged", name)
	}
	if !pinned(c.Image) {
		report("%s: its image %s has no fixed version", name, c.Image)
	}
	if c.Resources.Requests.StorageEphemeral().IsZero() || c.Resources.Limits.StorageEphemeral().IsZero() {
		report("%s: may fill the disk of its node", name)
	}
	checkSecrets(c, name, report)
	ends := w.kind == "CronJob" || w.kind == "Job"
	if !ends && (c.LivenessProbe == nil || c.ReadinessProbe == nil) {
		report("%s: is not probed", name)
	}
	ports := map[string]int32{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if port, ok := probePort(probe); ok && ports[port.StrVal] == 0 {
			report("%s: is probed on a port %q it does not have", name, port.String())
		}
	}
	if !w.product {
		return
	}
	for path, probe := range map[string]*corev1.Probe{"/health/live": c.LivenessProbe, "/health/ready": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != "debug" {
			report("%s: is not probed at %s of its debug port", name, path)
		}
	}
	if c.StartupProbe == nil {
		report("%s: may be killed while it starts", name)
	}
	w.checkMemoryLimit(c, name, report)
}

// checkSecrets verifies that no variable has a secret, because anyone who may describe
// the pod can read variables.
func checkSecrets(c *corev1.Container, name string, report reporter) {
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			report("%s: gets the secret %s as a variable, not as a file", name, e.Name)
		}
	}
	for _, e := range c.EnvFrom {
		if e.SecretRef != nil {
			report("%s: gets the secret %s as variables, not as files", name, e.SecretRef.Name)
		}
	}
}

// processors is the GOMAXPROCS of the programs, with which their memory was measured.
const processors = "4"

// checkMemoryLimit verifies that the garbage collector knows the memory limit, and that
// the number of processors, on which it depends how much a program does at once, is not
// that of the node.
func (w workload) checkMemoryLimit(c *corev1.Container, name string, report reporter) {
	if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMAXPROCS" && e.Value == processors }) && imageName(c.Image) != "" {
		report("%s: has no GOMAXPROCS of %s", name, processors)
	}
	at := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMEMLIMIT" })
	if at < 0 {
		report("%s: has no GOMEMLIMIT", name)
		return
	}
	var mib float64
	if _, err := fmt.Sscanf(c.Env[at].Value, "%fMiB", &mib); err != nil {
		report("%s: GOMEMLIMIT %q is not in MiB", name, c.Env[at].Value)
		return
	}
	if share := mib * (1 << 20) / c.Resources.Limits.Memory().AsApproximateFloat64(); share < 0.8 || share > 0.95 {
		report("%s: GOMEMLIMIT is %.0f %% of the limit of memory, not 80 to 95", name, share*100)
	}
}

func probePort(p *corev1.Probe) (intstr.IntOrString, bool) {
	switch {
	case p == nil:
	case p.HTTPGet != nil:
		return p.HTTPGet.Port, true
	case p.TCPSocket != nil:
		return p.TCPSocket.Port, true
	}
	return intstr.IntOrString{}, false
}

// pinned reports whether an image has an immutable version.
func pinned(image string) bool {
	name, digest, hasDigest := strings.Cut(image, "@")
	if hasDigest {
		return strings.HasPrefix(digest, "sha256:")
	}
	_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	return tag != "" && tag != "latest"
}

// checkCompany verifies the objects that a workload needs besides itself.
func (w workload) checkCompany(objects []runtime.Object, report reporter) {
	if w.kind == "Deployment" && !slices.ContainsFunc(all[*policyv1.PodDisruptionBudget](objects), func(p *policyv1.PodDisruptionBudget) bool {
		return matches(p.Spec.Selector, w.template.Labels) && p.Spec.Selector.MatchLabels[nameLabel] == w.name
	}) {
		report("%s: has no PodDisruptionBudget", w.name)
	}
	var denied, own bool
	for _, p := range all[*networkingv1.NetworkPolicy](objects) {
		if !matches(&p.Spec.PodSelector, w.template.Labels) {
			continue
		}
		everything := len(p.Spec.PodSelector.MatchLabels) == 0 && len(p.Spec.PodSelector.MatchExpressions) == 0
		denied = denied || everything && len(p.Spec.PolicyTypes) == 2 && len(p.Spec.Ingress) == 0 && len(p.Spec.Egress) == 0
		own = own || p.Spec.PodSelector.MatchLabels[nameLabel] == w.name
	}
	if !denied {
		report("%s: no policy denies what is not allowed", w.name)
	}
	if !own {
		report("%s: has no NetworkPolicy", w.name)
	}
	if !slices.ContainsFunc(all[*corev1.ServiceAccount](objects), func(a *corev1.ServiceAccount) bool { return a.Name == w.name }) {
		report("%s: has no ServiceAccount", w.name)
	}
}

// externalSecrets are the secrets of production, which are created elsewhere.
var externalSecrets = []string{"gateway", "auth", "auth-signing-keys", "report-keys", "operations", "records", "review", "calculation", "gateway-tls"}

// checkReferences verifies that what a pod mounts or reads exists, with the files that
// its variables name.
func (w workload) checkReferences(overlay string, objects []runtime.Object, report reporter) {
	secrets, maps := map[string]*corev1.Secret{}, map[string]*corev1.ConfigMap{}
	for _, s := range all[*corev1.Secret](objects) {
		secrets[s.Name] = s
	}
	for _, m := range all[*corev1.ConfigMap](objects) {
		maps[m.Name] = m
	}
	if overlay == prod && len(secrets) > 0 {
		report("%s: production has secrets in the repository", w.name)
	}
	mounts := map[string]string{} // by volume
	for _, c := range w.template.Spec.Containers {
		for _, m := range c.VolumeMounts {
			mounts[m.Name] = m.MountPath
			if !slices.ContainsFunc(w.template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) && w.kind == "Deployment" {
				report("%s: mounts the volume %s, which is not there", w.name, m.Name)
			}
		}
		for _, e := range c.EnvFrom {
			if e.ConfigMapRef != nil && maps[e.ConfigMapRef.Name] == nil {
				report("%s: reads the ConfigMap %s, which is not there", w.name, e.ConfigMapRef.Name)
			}
		}
	}
	files := map[string]bool{}
	for _, v := range w.template.Spec.Volumes {
		switch {
		case v.ConfigMap != nil && maps[v.ConfigMap.Name] == nil:
			report("%s: mounts the ConfigMap %s, which is not there", w.name, v.ConfigMap.Name)
		case v.Secret != nil && overlay == prod:
			if !slices.Contains(externalSecrets, v.Secret.SecretName) {
				report("%s: mounts the secret %s, of which production does not know", w.name, v.Secret.SecretName)
			}
		case v.Secret != nil && secrets[v.Secret.SecretName] == nil && v.Secret.Optional != nil && *v.Secret.Optional:
		case v.Secret != nil && secrets[v.Secret.SecretName] == nil:
			report("%s: mounts the secret %s, which is not there", w.name, v.Secret.SecretName)
		case v.Secret != nil:
			for key := range secrets[v.Secret.SecretName].Data {
				files[mounts[v.Name]+"/"+key] = true
			}
		}
	}
	if overlay != dev {
		return
	}
	for _, c := range w.template.Spec.Containers {
		for _, e := range c.Env {
			if strings.HasSuffix(e.Name, "_FILE") && !files[e.Value] {
				report("%s: %s names %s, which is in no secret", w.name, e.Name, e.Value)
			}
		}
	}
}

func checkServices(objects []runtime.Object, report reporter) {
	for _, s := range all[*corev1.Service](objects) {
		at := slices.IndexFunc(workloads(objects), func(w workload) bool {
			return len(s.Spec.Selector) > 0 && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(w.template.Labels))
		})
		if at < 0 {
			report("service %s: selects no pod", s.Name)
			continue
		}
		names := map[string]bool{}
		for _, c := range workloads(objects)[at].template.Spec.Containers {
			for _, p := range c.Ports {
				names[p.Name] = true
			}
		}
		for _, p := range s.Spec.Ports {
			if !names[p.TargetPort.StrVal] {
				report("service %s: its port %s is none of its pods'", s.Name, p.TargetPort.String())
			}
		}
		if names["debug"] && slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return p.TargetPort.StrVal == "debug" }) {
			report("service %s: shows the debug port", s.Name)
		}
		if s.Spec.Type != "" && s.Spec.Type != corev1.ServiceTypeClusterIP {
			report("service %s: can be reached from outside the cluster", s.Name)
		}
	}
	for _, i := range all[*networkingv1.Ingress](objects) {
		for _, r := range i.Spec.Rules {
			for _, p := range r.HTTP.Paths {
				if p.Backend.Service.Name != "gateway" {
					report("ingress %s: leads to %s", i.Name, p.Backend.Service.Name)
				}
			}
		}
	}
}

func checkScaling(overlay string, objects []runtime.Object, report reporter) {
	scaled := map[string]*autoscalingv2.HorizontalPodAutoscaler{}
	for _, h := range all[*autoscalingv2.HorizontalPodAutoscaler](objects) {
		scaled[h.Spec.ScaleTargetRef.Name] = h
	}
	for _, d := range all[*appsv1.Deployment](objects) {
		h := scaled[d.Name]
		if h != nil && d.Spec.Replicas != nil {
			report("%s: both the autoscaler and the manifest say how many", d.Name)
		}
		if overlay != prod || d.Labels["app.kubernetes.io/part-of"] != "ecf" {
			continue
		}
		if h == nil || h.Spec.MinReplicas == nil || *h.Spec.MinReplicas < 2 || h.Spec.MaxReplicas <= *h.Spec.MinReplicas {
			report("%s: is not scaled from two up", d.Name)
		}
		r := d.Spec.Strategy.RollingUpdate
		if r == nil || r.MaxUnavailable == nil || r.MaxUnavailable.IntValue() != 0 {
			report("%s: is fewer during an update", d.Name)
		}
		delete(scaled, d.Name)
	}
	if overlay == prod && len(scaled) > 0 {
		report("autoscalers of nothing: %v", slices.Sorted(maps.Keys(scaled)))
	}
}

func checkNamespace(objects []runtime.Object, report reporter) {
	spaces := all[*corev1.Namespace](objects)
	if len(spaces) != 1 || spaces[0].Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		report("the namespace does not enforce restricted pods")
		return
	}
	for _, o := range objects {
		m, ok := o.(metav1.Object)
		if _, space := o.(*corev1.Namespace); ok && !space && m.GetNamespace() != spaces[0].Name {
			report("%s: is in the namespace %q", m.GetName(), m.GetNamespace())
		}
	}
}

// matches reports whether a selector that is not empty selects labels.
func matches(s *metav1.LabelSelector, of map[string]string) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(labels.Set(of))
}

// TestPolicy verifies that everything not allowed by a policy is denied, that no pod
// gets a token of the cluster, and that secrets are files (statement 38), and the parts
// of statement 37 that need no API server.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{dev, prod} {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			for _, finding := range policy(overlay, render(t, overlay)) {
				t.Error(finding)
			}
		})
	}
}

// secretShapes match secrets: keys in PEM, tokens of well-known services, URLs with a
// password.
var secretShapes = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abp]-[A-Za-z0-9-]{20}|(?:mongodb(?:\+srv)?|rediss?)://[^\s"'/:@]*:([^\s"'@/$]+)@`)

// TestNoSecretsInTheRepository verifies that the repository has no secrets except those
// of the development overlay, which protect nothing, and of documents and tests
// (statement 38).
func TestNoSecretsInTheRepository(t *testing.T) {
	t.Parallel()
	if found := secretsIn("redis://:hunter22@redis:6379"); len(found) != 1 {
		t.Fatalf("a URL with a password is not detected: %v", found)
	}
	files, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skipf("NOT TESTED: the files of the repository cannot be listed: %v", err)
	}
	for name := range strings.Lines(string(files)) {
		name = strings.TrimSpace(name)
		switch {
		case strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, ".md"), strings.Contains(name, "/testdata/"), name == "k8s/overlays/dev/kustomization.yaml":
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || len(text) > 4<<20 {
			continue
		}
		for _, secret := range secretsIn(string(text)) {
			t.Errorf("%s contains what looks like a secret: %.40s", name, secret)
		}
	}
}

// secretsIn returns what looks like a secret, except placeholders.
func secretsIn(text string) []string {
	var found []string
	for _, m := range secretShapes.FindAllStringSubmatch(text, -1) {
		if !slices.Contains([]string{"password", "secret", "PASSWORD", "…", "pw", "pass"}, m[1]) && !strings.HasPrefix(m[1], "$") && !strings.HasPrefix(m[1], "%") {
			found = append(found, m[0])
		}
	}
	return found
}
