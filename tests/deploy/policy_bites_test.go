package deploy

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestPolicyBites violates each rule in turn, so that no rule passes because it finds
// nothing.
func TestPolicyBites(t *testing.T) {
	t.Parallel()
	pod := func(change func(*corev1.PodSpec)) func([]runtime.Object) []runtime.Object {
		return func(objects []runtime.Object) []runtime.Object {
			change(&deployment(objects, "records").Spec.Template.Spec)
			return objects
		}
	}
	container := func(change func(*corev1.Container)) func([]runtime.Object) []runtime.Object {
		return pod(func(p *corev1.PodSpec) { change(&p.Containers[0]) })
	}
	for _, c := range []struct {
		want   string
		change func([]runtime.Object) []runtime.Object
	}{
		{"selector does not match", func(o []runtime.Object) []runtime.Object {
			deployment(o, "records").Spec.Template.Labels[nameLabel] = "other"
			return o
		}},
		{"get a token", pod(func(p *corev1.PodSpec) { p.AutomountServiceAccountToken = nil })},
		{"variables of other services", pod(func(p *corev1.PodSpec) { p.EnableServiceLinks = nil })},
		{"not as itself", pod(func(p *corev1.PodSpec) { p.ServiceAccountName = "default" })},
		{"a namespace of its node", pod(func(p *corev1.PodSpec) { p.HostNetwork = true })},
		{"may run as root", pod(func(p *corev1.PodSpec) { p.SecurityContext.RunAsNonRoot = nil })},
		{"no particular user", pod(func(p *corev1.PodSpec) { p.SecurityContext.RunAsUser = nil })},
		{"no seccomp", pod(func(p *corev1.PodSpec) { p.SecurityContext.SeccompProfile = nil })},
		{"a folder of its node", pod(func(p *corev1.PodSpec) {
			p.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		})},
		{"read by everybody", pod(func(p *corev1.PodSpec) { p.Volumes[0].Secret.DefaultMode = nil })},
		{"not spread over zones", pod(func(p *corev1.PodSpec) { p.TopologySpreadConstraints = nil })},
		{"still sent requests", container(func(c *corev1.Container) { c.Lifecycle = nil })},
		{"killed before it has ended", pod(func(p *corev1.PodSpec) { *p.TerminationGracePeriodSeconds = 30 })},
		{"requests no processor", container(func(c *corev1.Container) { delete(c.Resources.Requests, corev1.ResourceMemory) })},
		{"no limit of memory", container(func(c *corev1.Container) { c.Resources.Limits = nil })},
		{"fill the disk", container(func(c *corev1.Container) { delete(c.Resources.Limits, corev1.ResourceEphemeralStorage) })},
		{"operations: may run as root", func(o []runtime.Object) []runtime.Object {
			all[*batchv1.CronJob](o)[0].Spec.JobTemplate.Spec.Template.Spec.SecurityContext.RunAsNonRoot = nil
			return o
		}},
		{"limit of processor", container(func(c *corev1.Container) {
			c.Resources.Limits[corev1.ResourceCPU] = resource.MustParse("1")
		})},
		{"gain privileges", container(func(c *corev1.Container) { c.SecurityContext = nil })},
		{"write to its image", container(func(c *corev1.Container) { c.SecurityContext.ReadOnlyRootFilesystem = nil })},
		{"has capabilities", container(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN"}
		})},
		{"no fixed version", container(func(c *corev1.Container) { c.Image = "ecf/records" })},
		{"no fixed version", container(func(c *corev1.Container) { c.Image = "localhost:5000/ecf/records:latest" })},
		{"not probed", container(func(c *corev1.Container) { c.ReadinessProbe = nil })},
		{"a port \"dbug\"", container(func(c *corev1.Container) { c.LivenessProbe.HTTPGet.Port = intstr.FromString("dbug") })},
		{"not probed at /health/live", container(func(c *corev1.Container) { c.LivenessProbe.HTTPGet.Path = "/" })},
		{"killed while it starts", container(func(c *corev1.Container) { c.StartupProbe = nil })},
		{"no GOMEMLIMIT", container(func(c *corev1.Container) {
			c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMEMLIMIT" })
		})},
		{"no GOMAXPROCS", container(func(c *corev1.Container) {
			c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMAXPROCS" })
		})},
		{"of the limit of memory", container(func(c *corev1.Container) {
			c.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1Gi")
		})},
		{"as a variable", container(func(c *corev1.Container) {
			c.Env = append(c.Env, corev1.EnvVar{Name: "ECF_MONGODB_URI", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "x"}}})
		})},
		{"operations/app: gets the secret", func(o []runtime.Object) []runtime.Object {
			c := &all[*batchv1.CronJob](o)[0].Spec.JobTemplate.Spec.Template.Spec.Containers[0]
			c.Env = append(c.Env, corev1.EnvVar{Name: "ECF_MONGODB_URI", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "x"}}})
			return o
		}},
		{"as variables", container(func(c *corev1.Container) {
			c.EnvFrom = append(c.EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{}})
		})},
		{"no PodDisruptionBudget", without[*policyv1.PodDisruptionBudget]("records")},
		{"has no NetworkPolicy", without[*networkingv1.NetworkPolicy]("records")},
		{"no policy denies", without[*networkingv1.NetworkPolicy]("default-deny")},
		{"has no ServiceAccount", without[*corev1.ServiceAccount]("records")},
		{"mounts the volume", pod(func(p *corev1.PodSpec) { p.Volumes = nil })},
		{"reads the ConfigMap", container(func(c *corev1.Container) { c.EnvFrom[0].ConfigMapRef.Name = "other" })},
		{"of which production does not know", pod(func(p *corev1.PodSpec) { p.Volumes[0].Secret.SecretName = "other" })},
		{"secrets in the repository", func(o []runtime.Object) []runtime.Object { return append(o, &corev1.Secret{}) }},
		{"selects no pod", func(o []runtime.Object) []runtime.Object {
			service(o, "records").Spec.Selector[nameLabel] = "other"
			return o
		}},
		{"none of its pods'", func(o []runtime.Object) []runtime.Object {
			service(o, "records").Spec.Ports[0].TargetPort = intstr.FromString("https")
			return o
		}},
		{"shows the debug port", func(o []runtime.Object) []runtime.Object {
			service(o, "records").Spec.Ports[0].TargetPort = intstr.FromString("debug")
			return o
		}},
		{"from outside the cluster", func(o []runtime.Object) []runtime.Object {
			service(o, "records").Spec.Type = corev1.ServiceTypeNodePort
			return o
		}},
		{"leads to records", func(o []runtime.Object) []runtime.Object {
			all[*networkingv1.Ingress](o)[0].Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name = "records"
			return o
		}},
		{"both the autoscaler and the manifest", func(o []runtime.Object) []runtime.Object {
			deployment(o, "records").Spec.Replicas = new(int32(2))
			return o
		}},
		{"not scaled from two up", without[*autoscalingv2.HorizontalPodAutoscaler]("records")},
		{"fewer during an update", func(o []runtime.Object) []runtime.Object {
			deployment(o, "records").Spec.Strategy.RollingUpdate = nil
			return o
		}},
		{"autoscalers of nothing", func(o []runtime.Object) []runtime.Object {
			return append(o, &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Name: "other"},
			}})
		}},
		{"does not enforce", without[*corev1.Namespace]("ecf")},
		{"is in the namespace", func(o []runtime.Object) []runtime.Object {
			service(o, "records").Namespace = "default"
			return o
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			found := policy(prod, c.change(render(t, prod)))
			if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("found only %q", found)
			}
		})
	}
}

func deployment(objects []runtime.Object, name string) *appsv1.Deployment {
	list := all[*appsv1.Deployment](objects)
	return list[slices.IndexFunc(list, func(d *appsv1.Deployment) bool { return d.Name == name })]
}

func service(objects []runtime.Object, name string) *corev1.Service {
	list := all[*corev1.Service](objects)
	return list[slices.IndexFunc(list, func(s *corev1.Service) bool { return s.Name == name })]
}

// without removes one object.
func without[T interface {
	runtime.Object
	GetName() string
}](name string) func([]runtime.Object) []runtime.Object {
	return func(objects []runtime.Object) []runtime.Object {
		return slices.DeleteFunc(objects, func(o runtime.Object) bool {
			one, ok := o.(T)
			return ok && one.GetName() == name
		})
	}
}
